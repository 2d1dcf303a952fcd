import { describe, expect, test } from 'vitest';
import { bugs } from './bugs.ts';
import { findBug } from './findBug.ts';
import { runSeed } from './run.ts';
import { seeds } from './seeds.ts';

describe('A world', () => {
  test('follows from its seed alone: lived twice, it leaves the same trace', { timeout: 60_000 }, async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const [one, other] = [await runSeed(seed), await runSeed(seed)];
      expect(one.lines.length).toBeGreaterThan(50);
      expect(other.digest, `seed ${seed}`).toBe(one.digest);
    }
  });

  test('of another seed is another one', async () => {
    expect((await runSeed(1)).digest).not.toBe((await runSeed(2)).digest);
  });

  test.each(seeds)('$seed, which once broke, holds: $showed', async ({ seed }) => {
    expect((await runSeed(seed)).violation).toBeUndefined();
  });
});

describe('A planted bug', () => {
  test('there are at least twenty, each under a name of its own', () => {
    expect(new Set(bugs.map(({ name }) => name)).size).toBe(bugs.length);
    expect(bugs.length).toBeGreaterThanOrEqual(20);
  });

  test.each(bugs)('is found: $about ($name)', { timeout: 120_000 }, async (bug) => {
    const found = await findBug(bug, 300);
    expect(found, `${bug.name} stays hidden in 300 worlds`).toBeDefined();
  });
});
