import { expect, test } from 'vitest';
import { runSeed } from './run.ts';

/** Everything holds in each of these worlds; one that breaks is named with the way to see it again. */
export const testWorlds = (first: number, last: number): void => {
  test(`every invariant holds in the worlds of seeds ${first} to ${last}`, { timeout: 600_000 }, async () => {
    const broken: string[] = [];
    for (let seed = first; seed <= last; seed += 1) {
      const { violation } = await runSeed(seed);
      if (!violation) continue;
      const { invariant, detail } = violation;
      broken.push(`${invariant}: ${detail}. See it: npm run simulate -- --seed ${seed} --trace`);
    }
    expect(broken).toEqual([]);
  });
};
