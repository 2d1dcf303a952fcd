import type { Rate } from './deps.ts';

/**
 * Answers 0 when a request may pass, else the whole seconds to wait. A cost of 0 only looks, -1 gives one back. One that costs
 * more than is left passes as well, and leaves a debt that the next ones wait for.
 */
export type RateLimiter = (key: string, cost?: number) => number;

type Bucket = { tokens: number; at: number };

const maxBuckets = 20_000;

/** Token buckets in memory, by key. The longest unused are forgotten first: a forgotten one was full long ago, or nearly. */
export const createRateLimiter = ({ perSecond, burst }: Rate, now: () => number): RateLimiter => {
  const buckets = new Map<string, Bucket>();
  return (key, cost = 1) => {
    const at = now();
    const known = buckets.get(key);
    const bucket = known ?? { tokens: burst, at };
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, at - bucket.at) / 1000) * perSecond);
    bucket.at = at;
    if (known) buckets.delete(key);
    buckets.set(key, bucket);
    if (!known && buckets.size > maxBuckets) forgetOldest(buckets);
    if (cost === -1) {
      bucket.tokens = Math.min(burst, bucket.tokens + 1);
      return 0;
    }
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
    bucket.tokens -= cost;
    return 0;
  };
};

const forgetOldest = (buckets: Map<string, Bucket>): void => {
  const oldest = buckets.keys().next();
  if (!oldest.done) buckets.delete(oldest.value);
};
