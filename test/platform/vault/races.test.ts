import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemRandom } from '../../../src/platform/clock/system.ts';
import type { SealedSecret } from '../../../src/platform/vault/port.ts';
import { openVault } from '../../../src/platform/vault/vault.ts';
import { Killed, killer, type SimulatedDisk, simulatedDisk } from './simulatedDisk.ts';

/*
 * Several nodes work on one folder; a scheduler decides, ahead of every operation on a file, whose turn it is. Whatever it
 * decides: what was acknowledged holds.
 */
const openOn = (disk: SimulatedDisk, before?: () => Promise<void>) =>
  openVault({ keysDir: '/keys', random: systemRandom, files: disk.files(before) });

type Node = Awaited<ReturnType<typeof openOn>>;
const runs = { numRuns: 40 };

const prepare = async (count: number) => {
  const disk = simulatedDisk();
  const { vault } = await openOn(disk);
  const sealed = await Promise.all(Array.from({ length: count }, (_, index) => vault.seal(`secret ${index}`, ['w'])));
  return { disk, sealed };
};

/** Undefined when the process was killed meanwhile. */
const unlessKilled = async <Result>(work: Promise<Result>): Promise<Result | undefined> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Killed) return undefined;
    throw error;
  }
};

const rotateAndRetire = async ({ keyring }: Node): Promise<void> => {
  const { version, unreadable } = await keyring.rotate();
  expect(unreadable).toEqual([]);
  for (const each of (await keyring.list()).masterKeys) {
    if (each.version < version) await keyring.retire(each.version);
  }
};

const keyFilesOf = (disk: SimulatedDisk, { keyId }: SealedSecret) =>
  disk.paths().filter((path) => path.includes(keyId) && !path.endsWith('.destroyed'));

test('readers, writers, rotations, retirements and destructions on many nodes at once keep what they acknowledge', async () => {
  const race = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
    const { disk, sealed } = await prepare(3);
    const turn = () => scheduler.schedule(Promise.resolve());
    const nodes = await Promise.all(
      Array.from({ length: 5 }, () => openOn(disk, turn)).map((each) => scheduler.waitFor(each)),
    );
    const [rotating, alsoRotating, writing, reading, destroying] = nodes;
    const [kept, doomed, alsoKept] = sealed;
    if (!rotating || !alsoRotating || !writing || !reading || !destroying) throw new Error('five nodes');
    if (!kept || !doomed || !alsoKept) throw new Error('three secrets');
    const done = Promise.all([
      rotateAndRetire(rotating),
      rotateAndRetire(alsoRotating),
      writing.vault.seal('new', ['w']),
      reading.vault.open(kept, ['w']),
      reading.vault.open(doomed, ['w']),
      destroying.vault.destroy(doomed.keyId).then(() => destroying.vault.open(doomed, ['w'])),
    ]);
    const [, , written, read, readDoomed, afterDestruction] = await scheduler.waitFor(done);
    expect(read).toEqual({ ok: true, plaintext: 'secret 0' });
    expect(readDoomed.ok || readDoomed.code === 'destroyed').toBe(true);
    expect(afterDestruction).toEqual({ ok: false, code: 'destroyed' });
    expect(keyFilesOf(disk, doomed)).toEqual([]);
    const { vault } = await openOn(disk);
    expect(await vault.open(written, ['w'])).toEqual({ ok: true, plaintext: 'new' });
    expect(await vault.open(alsoKept, ['w'])).toEqual({ ok: true, plaintext: 'secret 2' });
  });
  await fc.assert(race, runs);
});

test('the same holds when the power goes at any moment', async () => {
  const kept = fc.infiniteStream(fc.boolean());
  const race = fc.asyncProperty(fc.scheduler(), fc.nat(400), kept, async (scheduler, moment, keep) => {
    const { disk, sealed } = await prepare(2);
    const death = killer(moment);
    const turn = async () => {
      await scheduler.schedule(Promise.resolve());
      death.before();
    };
    const [stays, doomed] = sealed;
    if (!stays || !doomed) throw new Error('two secrets');
    const on = async <Result>(work: (node: Node) => Promise<Result>) => unlessKilled(openOn(disk, turn).then(work));
    const done = Promise.all([
      on(async (node) => rotateAndRetire(node)),
      on(async ({ vault }) => vault.seal('new', ['w'])),
      on(async (node) => rotateAndRetire(node)),
      on(async ({ vault }) => vault.destroy(doomed.keyId).then(() => true)),
    ]);
    const [, written, , destroyed] = await scheduler.waitFor(done);
    disk.cutPower(() => keep.next().value);
    const after = await openOn(disk);
    await after.keyring.rotate();
    expect(await after.vault.open(stays, ['w'])).toEqual({ ok: true, plaintext: 'secret 0' });
    if (written) expect(await after.vault.open(written, ['w'])).toEqual({ ok: true, plaintext: 'new' });
    if (destroyed) {
      expect(await after.vault.open(doomed, ['w'])).toEqual({ ok: false, code: 'destroyed' });
      expect(keyFilesOf(disk, doomed)).toEqual([]);
    }
  });
  await fc.assert(race, { numRuns: 80 });
});

test('nodes that start at once on an empty folder agree on the first keys', async () => {
  const start = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
    const disk = simulatedDisk();
    const turn = () => scheduler.schedule(Promise.resolve());
    const seal = async () => {
      const { vault } = await openOn(disk, turn);
      return { digest: vault.digest('x', ['w']), sealed: await vault.seal('text', ['w']) };
    };
    const all = await scheduler.waitFor(Promise.all([seal(), seal(), seal()]));
    disk.cutPower(() => false);
    const { vault } = await openOn(disk);
    for (const { digest, sealed } of all) {
      expect(digest).toBe(vault.digest('x', ['w']));
      expect(await vault.open(sealed, ['w'])).toEqual({ ok: true, plaintext: 'text' });
    }
  });
  await fc.assert(start, runs);
});
