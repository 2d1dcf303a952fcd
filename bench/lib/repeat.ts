import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from './context.ts';
import { type Disturbance, isDisturbed, watchMachine } from './machine.ts';

const sampleMs = 400;

/** Waits for the others to pause, as long as the run has patience. */
const untilQuiet = async ({ patience }: Context): Promise<void> => {
  while (patience.left() > 0) {
    const since = watchMachine();
    await sleep(sampleMs);
    if (!isDisturbed(since())) return;
  }
};

/**
 * Repeats what compares both sides. A repetition that something else disturbed is thrown away and done again while there
 * is patience; without any it stays, and its section says that it was disturbed.
 */
export const repeat = async <Result>(
  context: Context,
  count: number,
  work: (repetition: number) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  while (results.length < count) {
    await untilQuiet(context);
    const since = watchMachine();
    const result = await work(results.length);
    const disturbance = since();
    if (isDisturbed(disturbance) && context.patience.left() > 0) continue;
    context.disturbances.push(disturbance);
    results.push(result);
  }
  return results;
};

/** The worst of several. */
export const worstOf = (disturbances: readonly Disturbance[]): Disturbance => ({
  ownSeconds: disturbances.reduce((sum, { ownSeconds }) => sum + ownSeconds, 0),
  foreignCores: Math.max(0, ...disturbances.map(({ foreignCores }) => foreignCores)),
  stealShare: Math.max(0, ...disturbances.map(({ stealShare }) => stealShare)),
  loadAverage: Math.max(0, ...disturbances.map(({ loadAverage }) => loadAverage)),
});
