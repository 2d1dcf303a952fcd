import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFolderStore } from '../../../src/platform/artifacts/folderStore.ts';
import { openDataFolder } from '../../../src/platform/node/dataFolder.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'opslog-node-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('nodes with a shared folder have one secret key and see the artifacts of each other, and keep their own names', async () => {
  const nodes = await Promise.all(
    Array.from({ length: 8 }, (_, index) => openDataFolder(join(root, `node-${index}`), join(root, 'shared'))),
  );
  const [first, second] = nodes;
  if (!first || !second) throw new Error('eight nodes');
  expect(new Set(nodes.map(({ secretKey }) => Buffer.from(secretKey).toString('hex'))).size).toBe(1);
  expect(new Set(nodes.map(({ nodeId }) => nodeId)).size).toBe(8);
  const { digest } = await (await openFolderStore(first.artifacts)).put(Buffer.from('bundle'));
  expect(await (await openFolderStore(second.artifacts)).has(digest)).toBe(true);
  await Promise.all(nodes.map(({ release }) => release()));
});

test('a node keeps its names and keys over a restart', async () => {
  const first = await openDataFolder(root);
  await first.release();
  const again = await openDataFolder(root);
  expect([again.nodeId, again.secretKey]).toEqual([first.nodeId, first.secretKey]);
  await again.release();
});
