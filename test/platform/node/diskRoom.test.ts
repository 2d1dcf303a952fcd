import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { diskRoom, leastFreeBytes } from '../../../src/platform/node/diskRoom.ts';

test('the folder with the least room decides, and one that cannot be asked decides nothing', async () => {
  const rooms = new Map([
    ['/a', leastFreeBytes * 10],
    ['/b', leastFreeBytes - 1],
  ]);
  const free = async (folder: string) => rooms.get(folder) ?? Promise.reject(new Error('no such folder'));
  expect(await diskRoom(['/a'], free)).toEqual({ ok: true, detail: '640 MiB free' });
  expect(await diskRoom(['/a', '/b'], free)).toMatchObject({ ok: false, detail: '63 MiB free' });
  expect(await diskRoom(['/gone'], free)).toMatchObject({ ok: true });
  expect((await diskRoom([tmpdir()])).detail).toMatch(/^\d+ MiB free$/);
});
