import type { Rate } from './deps.ts';

/**
 * Answers 0 when a request may pass, else the whole seconds to wait. A cost of 0 only looks, -1 gives one back. One that costs
 * more than is left passes as well, and leaves a debt that the next ones wait for.
 */
export type RateLimiter = {
  (key: string, cost?: number): number;
  /** Charges what was used already, whatever is left. */
  owe(key: string, cost: number): void;
};

type Bucket = { tokens: number; at: number };

const mostBuckets = 20_000;
/** So many at a time, so that whoever makes up keys does not have the others looked through for each of them. */
const forgottenAtOnce = 2_000;

/** Token buckets in memory, by key. Those that lack the least are forgotten first: that gives next to nothing back. */
export const createRateLimiter = ({ perSecond, burst }: Rate, now: () => number): RateLimiter => {
  const buckets = new Map<string, Bucket>();
  const refilled = ({ tokens, at }: Bucket, time: number): number =>
    Math.min(burst, tokens + (Math.max(0, time - at) / 1000) * perSecond);

  const begin = (key: string, at: number): Bucket => {
    if (buckets.size >= mostBuckets) forgetFullest(buckets, (each) => burst - refilled(each, at));
    const bucket = { tokens: burst, at };
    buckets.set(key, bucket);
    return bucket;
  };

  const bucketOf = (key: string): Bucket => {
    const at = now();
    const bucket = buckets.get(key) ?? begin(key, at);
    bucket.tokens = refilled(bucket, at);
    bucket.at = at;
    return bucket;
  };

  const take = (key: string, cost = 1): number => {
    const bucket = bucketOf(key);
    if (cost === -1) {
      bucket.tokens = Math.min(burst, bucket.tokens + 1);
      return 0;
    }
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
    bucket.tokens -= cost;
    return 0;
  };
  const owe = (key: string, cost: number): void => {
    if (cost > 0) bucketOf(key).tokens -= cost;
  };
  return Object.assign(take, { owe });
};

/**
 * All that are full, and more of the fullest when these are few; of equals the newest, which are those of whoever makes keys
 * up just now. So a spent bucket outlives any number of fresh ones, and nobody gets rid of his own or of another's.
 */
const forgetFullest = (buckets: Map<string, Bucket>, lackOf: (bucket: Bucket) => number): void => {
  const newestFirst = [...buckets].map(([key, bucket]) => ({ key, lack: lackOf(bucket) })).reverse();
  const lacks = Float64Array.from(newestFirst, ({ lack }) => lack).sort();
  const enough = lacks[forgottenAtOnce - 1] ?? 0;
  // Those below the limit go for certain, so that equals at the limit share what is left.
  let atLimit = forgottenAtOnce - lacks.findIndex((lack) => lack >= enough);
  for (const { key, lack } of newestFirst) {
    if (lack > enough || (lack === enough && lack > 0 && atLimit <= 0)) continue;
    if (lack === enough) atLimit -= 1;
    buckets.delete(key);
  }
};
