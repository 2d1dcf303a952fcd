import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openBuildKey } from '../../../src/platform/evidence/keys.ts';

const folders: string[] = [];
const freshFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'opslog-keys-'));
  folders.push(folder);
  return join(folder, 'keys');
};
afterAll(async () => {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});
const bytes = new TextEncoder().encode('to be signed');

it('the build key is created once and is the same ever after', async () => {
  const folder = await freshFolder();
  const first = await openBuildKey(folder);
  const second = await openBuildKey(folder);
  expect(second.keyId).toBe(first.keyId);
  expect(second.sign(bytes)).toEqual(first.sign(bytes));
  expect(verify(null, bytes, createPublicKey(second.publicKey), first.sign(bytes))).toBe(true);
});

it('the key id is the start of the SHA-256 of the public key', async () => {
  const key = await openBuildKey(await freshFolder());
  const der = createPublicKey(key.publicKey).export({ type: 'spki', format: 'der' });
  expect(key.keyId).toBe(createHash('sha256').update(der).digest('hex').slice(0, 32));
});

it('the key file is readable by its owner alone, and nothing else is left beside it', async () => {
  const folder = await freshFolder();
  await openBuildKey(folder);
  expect(await readdir(folder)).toEqual(['build-key.pem']);
  expect((await stat(join(folder, 'build-key.pem'))).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

it('many starts at once agree on one key', async () => {
  const folder = await freshFolder();
  const keys = await Promise.all(Array.from({ length: 10 }, () => openBuildKey(folder)));
  expect(new Set(keys.map((key) => key.keyId)).size).toBe(1);
  expect(await readdir(folder)).toEqual(['build-key.pem']);
});

it('a key that others may read is refused, with the way out', async () => {
  const folder = await freshFolder();
  await openBuildKey(folder);
  await chmod(join(folder, 'build-key.pem'), 0o644);
  await expect(openBuildKey(folder)).rejects.toThrow(/chmod 600/);
});

it('a file that is no Ed25519 key is refused without being replaced or quoted', async () => {
  const folder = await freshFolder();
  await openBuildKey(folder);
  const path = join(folder, 'build-key.pem');
  const other = generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  for (const content of ['a secret that is no key', '', other]) {
    await writeFile(path, content);
    const error: unknown = await openBuildKey(folder).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'BuildKeyUnusable' });
    if (content !== '') expect(String(error)).not.toContain(content);
    expect(await readFile(path, 'utf8')).toBe(content);
  }
});
