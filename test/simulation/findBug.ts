import type { Bug } from './bug.ts';
import { runSeed } from './run.ts';
import type { Violation } from './world.ts';

export type Found = { readonly seed: number; readonly violation: Violation };

/** The first world in which the bug shows; undefined when it stays hidden in all of them. */
export const findBug = async (bug: Bug, seeds: number): Promise<Found | undefined> => {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { violation } = await runSeed(seed, bug);
    if (violation) return { seed, violation };
  }
  return undefined;
};
