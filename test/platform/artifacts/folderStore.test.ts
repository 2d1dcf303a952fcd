import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openFolderStore } from '../../../src/platform/artifacts/folderStore.ts';
import { type Parked, park, settleParked } from '../../../src/platform/artifacts/parking.ts';
import type { ArtifactStore } from '../../../src/platform/artifacts/port.ts';
import { artifactStoreContract } from '../../contract/artifactStore.contract.ts';

const folders: string[] = [];
const freshFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'opslog-artifacts-'));
  folders.push(folder);
  return folder;
};
afterAll(async () => {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

const hello = new TextEncoder().encode('hello');
const pathOf = (folder: string, digest: string) => join(folder, digest.slice(0, 2), digest);

/** The first half of a removal. */
const parked = async (folder: string, digest: string): Promise<Parked> => {
  const found = await park(pathOf(folder, digest));
  if (found === undefined) throw new Error('nothing to park');
  return found;
};

artifactStoreContract('a folder', async (clock) => {
  const folder = await freshFolder();
  return () => openFolderStore(folder, () => clock.now);
});

it('a folder opened again has what was put before', async () => {
  const folder = await freshFolder();
  const { digest } = await (await openFolderStore(folder)).put(hello);
  expect(await (await openFolderStore(folder)).get(digest)).toEqual(hello);
});

it('bytes that rotted on disk are never handed out, and putting the good ones heals them', async () => {
  const folder = await freshFolder();
  const store = await openFolderStore(folder);
  const { digest } = await store.put(hello);
  await writeFile(pathOf(folder, digest), 'hellO');
  await expect(store.get(digest)).rejects.toMatchObject({ name: 'ArtifactCorrupt', digest });
  expect(await store.put(hello)).toEqual({ digest, created: false });
  expect(await store.get(digest)).toEqual(hello);
});

it('what a crash left half written is removed when the folder is opened', async () => {
  const folder = await freshFolder();
  await openFolderStore(folder);
  await writeFile(join(folder, 'tmp', 'half'), 'ha');
  await openFolderStore(folder);
  expect(await readdir(join(folder, 'tmp'))).toEqual([]);
});

it('a removal that a crash cut short is undone when the folder is opened', async () => {
  const folder = await freshFolder();
  const store = await openFolderStore(folder);
  const { digest } = await store.put(hello);
  await parked(folder, digest);
  expect(await (await openFolderStore(folder)).has(digest)).toBe(true);
  expect(await readdir(join(folder, digest.slice(0, 2)))).toEqual([digest]);
});

it('a put between the two steps of a removal is noticed, and reading goes on meanwhile', async () => {
  const folder = await freshFolder();
  const clock = { now: 1000 };
  const store = await openFolderStore(folder, () => clock.now);
  const { digest } = await store.put(hello);
  clock.now = 2000;
  await store.put(hello);
  const early = await parked(folder, digest);
  expect(await store.get(digest)).toEqual(hello);
  expect(await settleParked(early, 1000)).toBe(false);
  expect(await store.get(digest)).toEqual(hello);

  const timely = await parked(folder, digest);
  expect(await store.put(hello)).toEqual({ digest, created: true });
  expect(await settleParked(timely, 2000)).toBe(true);
  expect(await store.get(digest)).toEqual(hello);
  expect(await readdir(join(folder, digest.slice(0, 2)))).toEqual([digest]);
});

it('two removals at once never take what was put between them', async () => {
  const folder = await freshFolder();
  const clock = { now: 1000 };
  const store = await openFolderStore(folder, () => clock.now);
  const { digest } = await store.put(hello);
  const first = await parked(folder, digest);
  clock.now = 2000;
  await store.put(hello);
  const second = await parked(folder, digest);
  expect(await settleParked(first, 1000)).toBe(true);
  expect(await settleParked(second, 1000)).toBe(false);
  expect(await store.get(digest)).toEqual(hello);
});

it('two openings of one folder put and remove side by side without losing an artifact', async () => {
  const folder = await freshFolder();
  const clock = { now: 1000 };
  const open = (): Promise<ArtifactStore> => openFolderStore(folder, () => clock.now);
  const one = await open();
  const two = await open();
  const { digest } = await one.put(hello);
  for (let round = 0; round < 50; round += 1) {
    const limit = clock.now;
    clock.now += 1;
    await Promise.all([one.put(hello), two.remove(digest, { unlessTouchedAfter: limit }), open()]);
    expect(await one.get(digest)).toEqual(hello);
  }
});

it('no temporary file stays behind', async () => {
  const folder = await freshFolder();
  const store = await openFolderStore(folder);
  await Promise.all(Array.from({ length: 10 }, () => store.put(hello)));
  expect(await readdir(join(folder, 'tmp'))).toEqual([]);
});

it('a store whose folder was emptied by somebody takes what is put all the same', async () => {
  const folder = await freshFolder();
  const store = await openFolderStore(folder);
  await rm(folder, { recursive: true });
  const { digest } = await store.put(hello);
  expect(await store.get(digest)).toEqual(hello);
});
