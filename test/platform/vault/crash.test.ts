import { describe, expect, test } from 'vitest';
import { systemRandom } from '../../../src/platform/clock/system.ts';
import { keyFiles } from '../../../src/platform/vault/files.ts';
import type { Keyring } from '../../../src/platform/vault/keyring.ts';
import type { Binding, SealedSecret, Vault } from '../../../src/platform/vault/port.ts';
import { openVault } from '../../../src/platform/vault/vault.ts';
import { Killed, killer, type SimulatedDisk, simulatedDisk, watched } from './simulatedDisk.ts';
import { keysFolder } from './support.ts';

const keysDir = '/keys';
const openOn = (disk: SimulatedDisk, before?: (operation: string) => Promise<void> | void) =>
  openVault({ keysDir, random: systemRandom, files: disk.files(before) });

/** Bound part by part, as the secrets of workers are, or byte by byte, as credentials are. */
const bindingOf = (index: number): Binding => (index === 1 ? 'w' : ['w']);

type Known = {
  readonly disk: SimulatedDisk;
  readonly living: readonly SealedSecret[];
  readonly destroyed: readonly SealedSecret[];
  readonly digest: string;
};

/** Three living secrets and a destroyed one, all durable. */
const prepare = async (): Promise<Known> => {
  const disk = simulatedDisk();
  const { vault } = await openOn(disk);
  const sealed = await Promise.all(
    Array.from({ length: 4 }, (_, index) => vault.seal(`secret ${index}`, bindingOf(index))),
  );
  const destroyed = sealed.slice(3);
  for (const { keyId } of destroyed) await vault.destroy(keyId);
  return { disk, living: sealed.slice(0, 3), destroyed, digest: vault.digest('x', ['w']) };
};

const expectIntact = async (vault: Vault, { living, destroyed, digest }: Known): Promise<void> => {
  for (const [index, each] of living.entries()) {
    expect(await vault.open(each, bindingOf(index))).toEqual({ ok: true, plaintext: `secret ${index}` });
  }
  for (const each of destroyed) expect(await vault.open(each, ['w'])).toEqual({ ok: false, code: 'destroyed' });
  expect(vault.digest('x', ['w'])).toBe(digest);
};

const filesOf = (disk: SimulatedDisk, { keyId }: SealedSecret) =>
  disk.paths().filter((path) => path.includes(keyId) && !path.endsWith('.destroyed'));

/** What a power cut may do to names that were not synced: all lost, all kept, every second one lost. */
const cuts = [() => () => false, () => () => true, () => alternating(true), () => alternating(false)];
const alternating = (first: boolean) => {
  let isKept = !first;
  return () => {
    isKept = !isKept;
    return isKept;
  };
};

type Work = (parts: { readonly vault: Vault; readonly keyring: Keyring }) => Promise<unknown>;

/** Kills the work ahead of each of its operations in turn, cuts the power in each way, and looks at what is left. */
const atEveryMoment = async (
  known: Known,
  work: Work,
  look: (disk: SimulatedDisk) => Promise<void>,
): Promise<number> => {
  const counting = killer();
  const whole = await openOn(known.disk.copy(), counting.before);
  const opening = counting.count();
  await work(whole);
  for (let at = opening; at <= counting.count(); at += 1) {
    for (const cut of cuts) {
      const disk = known.disk.copy();
      const parts = await openOn(disk, killer(at).before);
      const ended = await work(parts).then(
        () => 'done',
        (error: unknown) => error,
      );
      expect(ended === 'done' || ended instanceof Killed).toBe(true);
      disk.cutPower(cut());
      await look(disk);
    }
  }
  return counting.count() - opening;
};

describe('A process that is killed, with the power cut at once', () => {
  test('loses no secret in a rotation, at whatever operation; the next rotation finishes it', async () => {
    const known = await prepare();
    const moments = await atEveryMoment(
      known,
      ({ keyring }) => keyring.rotate(),
      async (disk) => {
        const { vault, keyring } = await openOn(disk);
        await expectIntact(vault, known);
        const { version, unreadable } = await keyring.rotate();
        expect(unreadable).toEqual([]);
        await expectIntact(vault, known);
        const { masterKeys, unfinishedRotation } = await keyring.list();
        expect(unfinishedRotation).toBeNull();
        expect(masterKeys.filter(({ dataKeys }) => dataKeys > 0)).toMatchObject([
          { version, wraps: true, dataKeys: 4 },
        ]);
        for (const each of masterKeys.filter(({ wraps }) => !wraps)) {
          expect(await keyring.retire(each.version)).toEqual({ ok: true, source: 'file' });
        }
        await expectIntact((await openOn(disk)).vault, known);
        for (const each of known.destroyed) expect(filesOf(disk, each)).toEqual([]);
        expect(disk.paths().filter((path) => /aside|rotating|retiring/.test(path))).toEqual([]);
      },
    );
    expect(moments).toBeGreaterThan(40);
  });

  test('leaves a version that was being retired readable, or gone with nothing that needs it', async () => {
    const known = await prepare();
    await (await openOn(known.disk)).keyring.rotate();
    const moments = await atEveryMoment(
      known,
      ({ keyring }) => keyring.retire(1),
      async (disk) => {
        const { vault, keyring } = await openOn(disk);
        await expectIntact(vault, known);
        const again = await keyring.retire(1);
        expect(again.ok || again.code === 'unknown').toBe(true);
        await expectIntact((await openOn(disk)).vault, known);
        expect(disk.paths().filter((path) => path.startsWith(`${keysDir}/master/`))).toEqual([
          `${keysDir}/master/2.key`,
        ]);
      },
    );
    expect(moments).toBeGreaterThan(10);
  });

  test('has either destroyed a key or not begun; destroying again removes every trace', async () => {
    const known = await prepare();
    const [target, ...others] = known.living;
    if (!target) throw new Error('three are living');
    await atEveryMoment(
      known,
      ({ vault }) => vault.destroy(target.keyId),
      async (disk) => {
        const { vault } = await openOn(disk);
        const opened = await vault.open(target, ['w']);
        expect(opened.ok || opened.code === 'destroyed').toBe(true);
        await vault.destroy(target.keyId);
        disk.cutPower(() => false);
        const after = (await openOn(disk)).vault;
        expect(await after.open(target, ['w'])).toEqual({ ok: false, code: 'destroyed' });
        expect(filesOf(disk, target)).toEqual([]);
        const rest = others.map((each, index) => after.open(each, bindingOf(index + 1)));
        expect((await Promise.all(rest)).every(({ ok }) => ok)).toBe(true);
      },
    );
  });

  test('can open, after the power cut, whatever was sealed before it', async () => {
    const known = await prepare();
    for (const cut of cuts) {
      const disk = known.disk.copy();
      const sealed = await (await openOn(disk)).vault.seal('new', ['w']);
      disk.cutPower(cut());
      expect(await (await openOn(disk)).vault.open(sealed, ['w'])).toEqual({ ok: true, plaintext: 'new' });
    }
  });

  test('makes the first keys anew, or keeps them, when it is killed at its first start', async () => {
    const counting = killer();
    await openOn(simulatedDisk(), counting.before);
    for (let at = 0; at <= counting.count(); at += 1) {
      for (const cut of cuts) {
        const disk = simulatedDisk();
        await openOn(disk, killer(at).before).catch((error: unknown) => expect(error).toBeInstanceOf(Killed));
        disk.cutPower(cut());
        const { vault } = await openOn(disk);
        const sealed = await vault.seal('first', ['w']);
        disk.cutPower(() => false);
        const again = (await openOn(disk)).vault;
        expect(await again.open(sealed, ['w'])).toEqual({ ok: true, plaintext: 'first' });
        expect(again.digest('x', ['w'])).toBe(vault.digest('x', ['w']));
      }
    }
  });
});

test('a rotation on real files that is killed ahead of every fifth operation is finished by the next', async () => {
  const counting = killer();
  const start = async (folder: string) => {
    const { vault } = await openVault({ keysDir: folder, random: systemRandom });
    return Promise.all(Array.from({ length: 3 }, (_, index) => vault.seal(`secret ${index}`, ['w'])));
  };
  const rotate = async (folder: string, before: () => void) =>
    (await openVault({ keysDir: folder, random: systemRandom, files: watched(keyFiles, before) })).keyring.rotate();
  const whole = await keysFolder();
  await start(whole);
  await rotate(whole, counting.before);
  for (let at = 0; at < counting.count(); at += 5) {
    const folder = await keysFolder();
    const sealed = await start(folder);
    await expect(rotate(folder, killer(at).before)).rejects.toThrow(Killed);
    const { vault, keyring } = await openVault({ keysDir: folder, random: systemRandom });
    await keyring.rotate();
    const opened = await Promise.all(sealed.map((each) => vault.open(each, ['w'])));
    expect(opened).toEqual(sealed.map((_, index) => ({ ok: true, plaintext: `secret ${index}` })));
  }
});
