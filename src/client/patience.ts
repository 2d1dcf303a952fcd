import { OpslogUnreachable } from './problem.ts';

export type Fetch = (request: Request) => Promise<Response>;

const tries = 4;
const longestWaitMs = 10_000;
/** Answers that say "later": nothing was done. */
const later = new Set([429, 503]);

/**
 * Tries again after a lost connection or when the server asks for patience. Commands carry an Idempotency-Key, so a
 * second try of one that got through changes nothing. Throws OpslogUnreachable when no answer comes.
 */
export const patientFetch =
  (fetch: Fetch): Fetch =>
  async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt === tries;
      try {
        const response = await fetch(isLast ? request : request.clone());
        if (isLast || !later.has(response.status)) return response;
        const waitMs = retryAfterMs(response) ?? backoffMs(attempt);
        if (waitMs > longestWaitMs) return response;
        await response.body?.cancel();
        await sleep(waitMs, request.signal);
      } catch (error) {
        if (request.signal.aborted) throw error;
        if (isLast) throw new OpslogUnreachable(`${new URL(request.url).origin} does not answer: ${reasonOf(error)}`);
        await sleep(backoffMs(attempt), request.signal);
      }
    }
  };

const backoffMs = (attempt: number): number => 100 * 2 ** attempt * (0.5 + Math.random() / 2);

const retryAfterMs = (response: Response): number | undefined => {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1_000 : undefined;
};

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? cause.message || cause.name : String(cause);
};

/** Resolves after `ms`; rejects with the signal's reason as soon as that aborts. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
