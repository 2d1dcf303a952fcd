/** Values of the repetitions of one figure. */
export type Spread = { readonly median: number; readonly min: number; readonly max: number; readonly count: number };

/** By the nearest-rank method; `share` between 0 and 1. NaN for no values. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

export const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
  count: values.length,
});

/** Percentiles of each repetition. */
export type Series = { readonly p50: readonly number[]; readonly p99: readonly number[] };

export const seriesOf = (repetitions: readonly (readonly number[])[]): Series => ({
  p50: repetitions.map((latencies) => percentile(latencies, 0.5)),
  p99: repetitions.map((latencies) => percentile(latencies, 0.99)),
});
