import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/platform/clock/system.ts';
import { createCloudflareTail } from '../../../../src/platform/edge/cloudflare/tail.ts';
import { silentLog } from '../../../../src/platform/log/port.ts';
import type { ReadLine } from '../../../../src/platform/workerLogs/port.ts';
import { createWorld, moduleOf, scriptName } from './world.ts';

const plain = (text: string): string => text;

const aLiveScript = async () => {
  const world = await createWorld();
  expect(await world.deploy('t1', { module: moduleOf('hello') })).toBe('completed');
  const { cloudflare } = world;
  const open = createCloudflareTail({
    ...{ accountId: cloudflare.accountId, token: () => cloudflare.token, baseUrl: cloudflare.baseUrl },
    ...{ clock: systemClock, log: silentLog },
  });
  return { cloudflare, open };
};

/** Reads on until so many lines have come. */
const readUntil = async (
  batches: AsyncIterable<{ readonly lines: readonly ReadLine[] }>,
  count: number,
  onOpen: () => void,
): Promise<readonly ReadLine[]> => {
  const read: ReadLine[] = [];
  let isOpen = false;
  for await (const { lines } of batches) {
    if (!isOpen) onOpen();
    isOpen = true;
    read.push(...lines);
    if (read.length >= count) break;
  }
  return read;
};

describe('A tail at Cloudflare', () => {
  test('gives lines and exceptions as they come, redacted, and is given back when its reader stops', async () => {
    const { cloudflare, open } = await aLiveScript();
    const tail = await open(scriptName, (text) => text.replaceAll('hunter2', '***'), new AbortController().signal);
    if (!tail.ok) throw new Error(tail.detail);
    expect(cloudflare.tailListeners(scriptName)).toBe(1);
    const read = await readUntil(tail.batches, 2, () =>
      cloudflare.emitLog(scriptName, [
        { level: 'warn', message: 'the key is hunter2' },
        { message: 'no such order', exception: 'TypeError' },
      ]),
    );
    expect(read).toMatchObject([
      { origin: 'console', level: 'warn', message: 'the key is ***', droppedBefore: 0 },
      { origin: 'runtime', level: 'error', message: 'TypeError: no such order' },
    ]);
    await expect.poll(() => cloudflare.tailListeners(scriptName)).toBe(0);
    await expect.poll(() => cloudflare.emitLog(scriptName, [{ message: 'nobody listens' }])).toBe(0);
  });

  test('holds so many lines for a slow reader and no more, and says how many are gone', async () => {
    const { cloudflare, open } = await aLiveScript();
    const tail = await open(scriptName, plain, new AbortController().signal);
    if (!tail.ok) throw new Error(tail.detail);
    // In one message, so that nobody can read in between.
    cloudflare.emitLog(
      scriptName,
      Array.from({ length: 1_500 }, (_, n) => ({ message: `line ${n}` })),
    );
    const read: ReadLine[] = [];
    for await (const { lines } of tail.batches) {
      read.push(...lines);
      if (read.length === 1_000) cloudflare.emitLog(scriptName, [{ message: 'later' }]);
      if (read.length > 1_000) break;
    }
    expect(read.slice(0, 1_000).every(({ droppedBefore }) => droppedBefore === 0)).toBe(true);
    expect(read.slice(1_000)).toMatchObject([{ message: 'later', droppedBefore: 500 }]);
  });

  test('of a script that is not there says so', async () => {
    const { open } = await aLiveScript();
    expect(await open('dw-none', plain, new AbortController().signal)).toMatchObject({
      ...{ ok: false, detail: expect.stringContaining('Cloudflare opens no tail') },
    });
  });

  test('ends with its reader’s signal', async () => {
    const { cloudflare, open } = await aLiveScript();
    const over = new AbortController();
    const tail = await open(scriptName, plain, over.signal);
    if (!tail.ok) throw new Error(tail.detail);
    expect(await readUntil(tail.batches, 1, () => over.abort())).toEqual([]);
    await expect.poll(() => cloudflare.tailListeners(scriptName)).toBe(0);
  });
});
