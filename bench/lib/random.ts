/** Numbers from 0 (inclusive) to 1 that are the same for the same seed on every machine (mulberry32). */
export type Random = () => number;

export const seeded = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** Draws from 0 to `size` - 1 so that the n-th is chosen in proportion to 1 / n^exponent. */
export const zipf = (size: number, exponent: number, random: Random): (() => number) => {
  const cumulative = new Float64Array(size);
  let total = 0;
  for (let rank = 0; rank < size; rank += 1) {
    total += 1 / (rank + 1) ** exponent;
    cumulative[rank] = total;
  }
  return () => {
    const drawn = random() * total;
    let low = 0;
    let high = size - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulative[middle] ?? 0) < drawn) low = middle + 1;
      else high = middle;
    }
    return low;
  };
};

/** Moments in milliseconds from 0 to `seconds` at which independent callers arrive, `rate` per second on average. */
export const arrivals = (rate: number, seconds: number, seed: number): Float64Array => {
  const random = seeded(seed);
  const moments: number[] = [];
  for (let at = 0; ; ) {
    at += (-Math.log(1 - random()) / rate) * 1_000;
    if (at >= seconds * 1_000) return Float64Array.from(moments);
    moments.push(at);
  }
};
