import type { Random } from '../../src/platform/clock/port.ts';

/** Draws that follow from a seed alone. */
export type Draws = {
  /** At least 0, less than 1. */
  fraction(): number;
  /** From `low` to `high`, both included. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
  hex(digits: number): string;
};

/** sfc32: small, fast, and good enough to explore with. */
export const createDraws = (seed: number): Draws => {
  let [a, b, c, d] = [seed | 0, 0x9e3779b9, 0x243f6a88, 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
  for (let warmUp = 0; warmUp < 12; warmUp += 1) next();
  const fraction = (): number => next() / 2 ** 32;
  return {
    fraction,
    between: (low, high) => low + Math.floor(fraction() * (high - low + 1)),
    chance: (probability) => fraction() < probability,
    pick: (items) => items[Math.floor(fraction() * items.length)] ?? items[0],
    hex: (digits) => Array.from({ length: digits }, () => Math.floor(fraction() * 16).toString(16)).join(''),
  };
};

/** The same draws as the port of the program. */
export const portOf = ({ fraction, between, hex }: Draws): Random => ({
  uuid: () => `${hex(8)}-${hex(4)}`,
  bytes: (count) => Uint8Array.from({ length: count }, () => between(0, 255)),
  fraction,
});
