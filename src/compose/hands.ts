/** Of one runner: how much of what it does at once. */
export type Hands = {
  readonly concurrency: number;
  readonly atMost: Readonly<Record<'deploy' | 'artifact_cleanup' | 'job' | 'firing' | 'delivery', number>>;
};

/**
 * Jobs may take long, and firings last as long as the handlers of tenants like: each has hands of its own and never takes
 * one that works for deployments. So have deliveries of webhooks, which last as long as a receiver likes.
 */
export const handsOf = (concurrency: number, jobs: number): Hands => ({
  concurrency: 4 * concurrency + jobs,
  atMost: {
    ...{ deploy: concurrency, artifact_cleanup: concurrency },
    ...{ job: jobs, firing: concurrency, delivery: 2 * concurrency },
  },
});
