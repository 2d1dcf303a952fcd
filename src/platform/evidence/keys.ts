import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto';
import { link, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, syncFolder, writeSynced } from '../artifacts/durable.ts';

/** The installation's build key. The private half never leaves the closure. */
export type BuildKey = {
  /** First 32 hex digits of the SHA-256 of the public key (SubjectPublicKeyInfo, DER). */
  readonly keyId: string;
  /** PEM; give it to whoever verifies evidence. */
  readonly publicKey: string;
  /** An Ed25519 signature: 64 bytes, the same for the same bytes. */
  readonly sign: (bytes: Uint8Array) => Uint8Array;
};

/** The key file is not an Ed25519 key, or others may read it. */
export class BuildKeyUnusable extends Error {
  override readonly name = 'BuildKeyUnusable';
}

export const keyIdOf = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 32);

/** Loads `<dir>/build-key.pem`, or creates it with mode 600; of several processes that start at once, one creates it. */
export const openBuildKey = async (dir: string): Promise<BuildKey> => {
  const path = join(dir, 'build-key.pem');
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const pem = (await load(path)) ?? (await create(dir, path));
  return buildKeyFrom(pem);
};

/** A key that lives as long as this process: for rebuilding without being able to sign for the installation. */
export const temporaryBuildKey = (): BuildKey => buildKeyFrom(newKeyPem());

const newKeyPem = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const buildKeyFrom = (pem: string): BuildKey => {
  const privateKey = privateKeyFrom(pem);
  const publicKey = createPublicKey(privateKey);
  return {
    keyId: keyIdOf(publicKey),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: (bytes) => new Uint8Array(sign(null, bytes, privateKey)),
  };
};

const privateKeyFrom = (pem: string): KeyObject => {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Falls through: the parser's own message may quote what it read.
  }
  throw new BuildKeyUnusable(
    'The build key is not an Ed25519 private key in PEM. Restore it from a backup, or move it away to get a new one.',
  );
};

const load = async (path: string): Promise<string | undefined> => {
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new BuildKeyUnusable(`Others may read the build key ${path}. If nobody did, run: chmod 600 ${path}`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
};

/** Written in full under another name and then linked, so that nobody can load half a key. */
const create = async (dir: string, path: string): Promise<string> => {
  const scratch = join(dir, `.build-key.${randomUUID()}`);
  try {
    await writeSynced(scratch, newKeyPem(), 0o600);
    await link(scratch, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(scratch, { force: true });
  }
  await syncFolder(dir);
  return readFile(path, 'utf8');
};
