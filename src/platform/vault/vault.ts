import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Random } from '../clock/port.ts';
import { open, seal } from './aesGcm.ts';
import { isKeyId } from './dataKeyNames.ts';
import { createDataKeys, type DataKeys } from './dataKeys.ts';
import { joinParts, toUtf8 } from './encoding.ts';
import { type KeyFiles, keyFiles } from './files.ts';
import { createKeyring, type Keyring } from './keyring.ts';
import { createMasterKeys, type MasterKey, type MasterKeys } from './masterKeys.ts';
import type { Binding, Opened, Vault } from './port.ts';
import { secretDigest } from './secretDigest.ts';

/** The keys that are here do not fit together; the message says what to do. */
export class VaultUnusable extends Error {
  override readonly name = 'VaultUnusable';
}

export type VaultOptions = {
  /** Holds `master/`, `data/` and `digest-key`; all nodes of an installation share it. */
  readonly keysDir: string;
  readonly random: Random;
  /** From the configuration: beside what is in files, or in place of it. */
  readonly masterKeys?: readonly MasterKey[];
  readonly files?: KeyFiles;
};

/** Opens what is there, or makes the first keys. Throws VaultUnusable, MasterKeyUnusable or MasterKeyMissing. */
export const openVault = async (
  options: VaultOptions,
): Promise<{ readonly vault: Vault; readonly keyring: Keyring }> => {
  const { keysDir, random, masterKeys: configured = [], files = keyFiles } = options;
  const folders = { master: join(keysDir, 'master'), data: join(keysDir, 'data') };
  await files.makeFolder(keysDir);
  for (const folder of [folders.master, folders.data]) await files.makeFolder(folder);
  await files.sync(keysDir);
  const masters = createMasterKeys(folders.master, { files, random, configured });
  const dataKeys = createDataKeys(folders.data, { files, random, masters });
  const keyring = createKeyring(folders, { files, masters, dataKeys });
  const digestKeyName = join(keysDir, 'digest-key');
  await makeFirstMaster(masters, files, digestKeyName);
  const digestKey = await openDigestKey(digestKeyName, files, dataKeys);
  // Whoever linked the name of that key may not have synced it yet.
  await files.sync(keysDir);
  await keyring.settle();
  return { vault: createVault(dataKeys, digestKey, random), keyring };
};

const makeFirstMaster = async (masters: MasterKeys, files: KeyFiles, digestKeyName: string): Promise<void> => {
  // Asked first: another node may make the first keys meanwhile, a master key before anything else.
  const isUsed = await files.has(digestKeyName);
  if (await masters.newest()) return;
  if (isUsed) {
    throw new VaultUnusable(
      'There are data keys here and no master key that opens them. Restore the folder "master" from a backup, or configure the master keys.',
    );
  }
  await masters.create(1);
};

/**
 * The key of digests is a data key like others, so that it rotates with them; a file names it. Opening it at every start shows
 * at once when the master keys are not those of this folder.
 */
const openDigestKey = async (path: string, files: KeyFiles, dataKeys: DataKeys): Promise<KeyObject> => {
  if (!(await files.has(path))) await makeDigestKey(path, files, dataKeys);
  const id = Buffer.from((await files.read(path)) ?? [])
    .toString()
    .trim();
  if (!isKeyId(id)) throw new VaultUnusable(`The file ${path} does not name a data key. Restore it from a backup.`);
  const loaded = await dataKeys.load(id);
  if (!loaded.ok) {
    throw new VaultUnusable(
      loaded.code === 'not_authentic'
        ? 'The master keys are not those that the data keys here were wrapped with. Restore, or configure, the right ones.'
        : `The data key ${id} of the digests is ${loaded.code}. Restore the folder "data" from a backup.`,
    );
  }
  const key = createSecretKey(loaded.key);
  loaded.key.fill(0);
  return key;
};

const makeDigestKey = async (path: string, files: KeyFiles, dataKeys: DataKeys): Promise<void> => {
  const { id, key } = await dataKeys.create();
  key.fill(0);
  const scratch = `${path}.${randomUUID()}`;
  await files.write(scratch, `${id}\n`);
  // The first of several nodes that start at once names it for all.
  const isFirst = await files.link(scratch, path);
  await files.unlink(scratch);
  await files.sync(join(path, '..'));
  if (!isFirst) await dataKeys.destroy(id);
};

const boundBytes = (aad: Binding): Buffer => (typeof aad === 'string' ? toUtf8(aad) : joinParts(aad));

const createVault = (dataKeys: DataKeys, digestKey: KeyObject, random: Random): Vault => ({
  seal: async (plaintext, aad) => {
    const bound = boundBytes(aad);
    const bytes = toUtf8(plaintext);
    const { id, key } = await dataKeys.create();
    try {
      return { keyId: id, encryptedData: seal(key, bytes, bound, random) };
    } finally {
      key.fill(0);
      bytes.fill(0);
    }
  },
  open: async ({ keyId, encryptedData }, aad): Promise<Opened> => {
    const loaded = await dataKeys.load(keyId);
    if (!loaded.ok) return loaded;
    try {
      const bytes = open(loaded.key, encryptedData, boundBytes(aad));
      if (bytes === 'not authentic') return { ok: false, code: 'not_authentic' };
      const plaintext = bytes.toString('utf8');
      bytes.fill(0);
      return { ok: true, plaintext };
    } finally {
      loaded.key.fill(0);
    }
  },
  destroy: (keyId) => dataKeys.destroy(keyId),
  digest: (plaintext, parts) => secretDigest(digestKey, parts, plaintext),
});
