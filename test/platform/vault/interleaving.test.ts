import { expect, test } from 'vitest';
import { systemRandom } from '../../../src/platform/clock/system.ts';
import type { KeyFiles } from '../../../src/platform/vault/files.ts';
import { openVault } from '../../../src/platform/vault/vault.ts';
import { killer, type SimulatedDisk, simulatedDisk } from './simulatedDisk.ts';

/* The moments that matter, each held still: chance alone would find them seldom. */
const open = (files: KeyFiles) => openVault({ keysDir: '/keys', random: systemRandom, files });
const openOn = (disk: SimulatedDisk, before?: (operation: string) => Promise<void> | void) => open(disk.files(before));

const signalled = () => {
  let signal = () => {};
  const happened = new Promise<void>((resolve) => {
    signal = resolve;
  });
  return { happened, signal: () => signal() };
};

/** Stops whoever comes to an operation that fits, once, until it is released. */
const gate = (fits: (operation: string) => boolean) => {
  const reached = signalled();
  const released = signalled();
  let isUsed = false;
  return {
    reached: reached.happened,
    release: () => released.signal(),
    before: async (operation: string): Promise<void> => {
      if (isUsed || !fits(operation)) return;
      isUsed = true;
      reached.signal();
      await released.happened;
    },
  };
};

test('a secret sealed by a node that slept since it chose the old master key is not lost when that is retired meanwhile', async () => {
  const counting = killer();
  const retiring = async (at: number, count: () => void) => {
    const disk = simulatedDisk();
    await openOn(disk);
    const asleep = gate((operation) => operation.startsWith('write /keys/data'));
    const sealing = (await openOn(disk, asleep.before)).vault.seal('late', ['w']);
    await asleep.reached;
    await (await openOn(disk)).keyring.rotate();
    let operations = 0;
    const operator = await openOn(disk, async () => {
      count();
      operations += 1;
      if (operations !== at) return;
      asleep.release();
      await sealing;
    });
    await operator.keyring.retire(1);
    asleep.release();
    const sealed = await sealing;
    expect(await (await openOn(disk)).vault.open(sealed, ['w'])).toEqual({ ok: true, plaintext: 'late' });
  };
  await retiring(Number.POSITIVE_INFINITY, counting.before);
  expect(counting.count()).toBeGreaterThan(15);
  for (let at = 0; at <= counting.count(); at += 1) await retiring(at, () => {});
});

test('a master key that another process made is durable before anything is sealed under it', async () => {
  const disk = simulatedDisk();
  const { vault } = await openOn(disk);
  const halfway = gate((operation) => operation === 'sync /keys/master' && disk.paths().includes('/keys/master/2.key'));
  const rotating = (await openOn(disk, halfway.before)).keyring.rotate();
  await halfway.reached;
  const sealed = await vault.seal('early', ['w']);
  const crashed = disk.copyAfterPowerCut();
  halfway.release();
  await rotating;
  expect(await (await openOn(crashed)).vault.open(sealed, ['w'])).toEqual({ ok: true, plaintext: 'early' });
});

test('the key of digests that another process made is durable before a digest is given', async () => {
  const disk = simulatedDisk();
  const halfway = gate((operation) => operation === 'sync /keys' && disk.paths().includes('/keys/digest-key'));
  let first: Promise<unknown> | undefined;
  const { vault } = await openOn(disk, async (operation) => {
    if (operation !== 'has /keys/digest-key' || first !== undefined) return;
    first = openOn(disk, halfway.before);
    await halfway.reached;
  });
  const digest = vault.digest('x', ['w']);
  const crashed = disk.copyAfterPowerCut();
  halfway.release();
  await first;
  expect((await openOn(crashed)).vault.digest('x', ['w'])).toBe(digest);
});

test('a reader whose listing misses a key that is just being moved finds it all the same', async () => {
  const disk = simulatedDisk();
  const sealed = await (await openOn(disk)).vault.seal('moved', ['w']);
  let misses = 0;
  const files = disk.files();
  const reader = await open({
    ...files,
    list: async (folder) => {
      if (!folder.startsWith('/keys/data/') || misses > 0) return files.list(folder);
      misses += 1;
      return [];
    },
  });
  await (await openOn(disk)).keyring.rotate();
  expect(await reader.vault.open(sealed, ['w'])).toEqual({ ok: true, plaintext: 'moved' });
  expect(misses).toBe(1);
});

test('a rotation that slept does not bring back a key that was destroyed meanwhile', async () => {
  const disk = simulatedDisk();
  const { vault } = await openOn(disk);
  const sealed = await vault.seal('gone', ['w']);
  for (const step of ['write', 'rename']) {
    const copy = disk.copy();
    const asleep = gate((operation) => operation.startsWith(`${step} `) && operation.includes(sealed.keyId));
    const rotating = (await openOn(copy, asleep.before)).keyring.rotate();
    await asleep.reached;
    await (await openOn(copy)).vault.destroy(sealed.keyId);
    asleep.release();
    await rotating;
    const left = copy.paths().filter((path) => path.includes(sealed.keyId));
    expect(left.map((path) => path.split('.').at(-1))).toEqual(['destroyed']);
    expect(await (await openOn(copy)).vault.open(sealed, ['w'])).toEqual({ ok: false, code: 'destroyed' });
  }
});

test('a rotation does not call a key unreadable that is being destroyed while it looks', async () => {
  const disk = simulatedDisk();
  const sealed = await (await openOn(disk)).vault.seal('gone', ['w']);
  const halfway = gate((operation) => operation.startsWith('unlink ') && operation.includes(sealed.keyId));
  const about = gate((operation) => operation.startsWith('read ') && operation.includes(sealed.keyId));
  const rotating = (await openOn(disk, about.before)).keyring.rotate();
  await about.reached;
  const destroying = (await openOn(disk, halfway.before)).vault.destroy(sealed.keyId);
  await halfway.reached;
  about.release();
  expect(await rotating).toMatchObject({ unreadable: [] });
  halfway.release();
  await destroying;
});

test('a wrapped key opens under its own id alone, wherever its file is copied', async () => {
  const disk = simulatedDisk();
  const files = disk.files();
  const { vault } = await openOn(disk);
  const [one, other] = [await vault.seal('one', ['w']), await vault.seal('other', ['w'])];
  const path = (id: string) => `/keys/data/${id.slice(0, 2)}/${id}.1`;
  const bytes = await files.read(path(one.keyId));
  await files.unlink(path(other.keyId));
  await files.write(path(other.keyId), bytes ?? '');
  const forged = { keyId: other.keyId, encryptedData: one.encryptedData };
  expect(await vault.open(forged, ['w'])).toEqual({ ok: false, code: 'not_authentic' });
});
