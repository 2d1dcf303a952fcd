/** Of one runner: how much of what it does at once. */
export type Hands = {
  readonly concurrency: number;
  readonly atMost: Readonly<Record<'deploy' | 'artifact_cleanup' | 'job' | 'firing' | 'delivery', number>>;
};

/**
 * Jobs may take long: one hand stays free for deployments. A firing lasts as long as the handler of a tenant likes, so
 * firings have as many hands of their own and never take one that works for the others. So have deliveries of webhooks,
 * which last as long as a receiver likes.
 */
export const handsOf = (concurrency: number): Hands => ({
  concurrency: 4 * concurrency,
  atMost: {
    ...{ deploy: concurrency, artifact_cleanup: concurrency },
    ...{ job: Math.max(1, concurrency - 1), firing: concurrency, delivery: 2 * concurrency },
  },
});
