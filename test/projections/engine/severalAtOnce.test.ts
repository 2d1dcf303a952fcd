import { expect, test } from 'vitest';
import { severalAtOnce } from '../../../src/projections/engine/severalAtOnce.ts';

test('A failure is thrown once nothing is under way any more, and nothing is begun after it', async () => {
  const begun: string[] = [];
  const ended: string[] = [];
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const done = severalAtOnce(2, ['long', 'bad', 'late'], async (item) => {
    begun.push(item);
    if (item === 'bad') {
      queueMicrotask(() => setImmediate(letGo));
      throw new Error('refused');
    }
    await held;
    ended.push(item);
  });
  await expect(done).rejects.toThrow('refused');
  expect({ begun, ended }).toEqual({ begun: ['long', 'bad'], ended: ['long'] });
});
