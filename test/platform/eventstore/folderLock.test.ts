import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataFolderInUse, lockFolder } from '../../../src/platform/eventstore/folderLock.ts';
import { startChildServer } from './childServer.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opslog-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a folder has one owner, who is named to others, and is free again when given back', async () => {
  const unlock = await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toThrow(`${folder} is in use by process ${process.pid}`);
  await unlock();
  await (await lockFolder(folder))();
});

test('of many who want it at once one gets it', async () => {
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => lockFolder(folder)));
  const won = results.filter(({ status }) => status === 'fulfilled');
  expect(won).toHaveLength(1);
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(DataFolderInUse);
    else await result.value();
  }
});

test('a folder whose owner was killed is free at once', async () => {
  const server = await startChildServer(folder);
  await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${server.pid}`);
  await server.kill();
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => lockFolder(folder)));
  const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(won).toHaveLength(1);
  for (const unlock of won) await unlock();
});

test('a folder with a name too long for a socket is locked too', async () => {
  const long = join(folder, 'x'.repeat(120));
  await mkdir(long);
  const unlock = await lockFolder(long);
  await expect(lockFolder(long)).rejects.toThrow(DataFolderInUse);
  await unlock();
});

test('a path that is no folder is an error of its own', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(lockFolder(join(folder, 'file'))).rejects.not.toThrow(DataFolderInUse);
});
