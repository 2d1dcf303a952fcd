import { expect, test, vi } from 'vitest';
import { createClosing } from '../../src/compose/closing.ts';
import { lazyCheckpoints } from '../../src/compose/lazyCheckpoints.ts';
import { silentLog } from '../../src/platform/log/port.ts';

const createStore = () => {
  const saved: string[] = [];
  return {
    saved,
    load: async () => 7n,
    save: async (name: string, position: bigint) => void saved.push(`${name} ${position}`),
  };
};

test('many checkpoints are one write, and the last one is not lost when everything closes', async () => {
  vi.useFakeTimers();
  try {
    const store = createStore();
    const closing = createClosing();
    const checkpoints = lazyCheckpoints(store, { everyMs: 250, logger: silentLog }, closing);
    expect(await checkpoints.load('reactors')).toBe(7n);
    for (let position = 1n; position <= 100n; position += 1n) await checkpoints.save('reactors', position);
    expect(store.saved).toEqual(['reactors 1']);
    await vi.advanceTimersByTimeAsync(250);
    expect(store.saved).toEqual(['reactors 1', 'reactors 100']);
    await checkpoints.save('reactors', 101n);
    await closing.close();
    expect(store.saved.at(-1)).toBe('reactors 101');
  } finally {
    vi.useRealTimers();
  }
});
