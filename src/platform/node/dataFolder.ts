import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { lockFolder } from '../eventstore/folderLock.ts';

/** Everything one node keeps, in one folder that one process owns. */
export type DataFolder = {
  readonly dir: string;
  /** Made once; names this node in leases and on-prem scopes. */
  readonly nodeId: string;
  /** 32 bytes from which tokens are derived. Whoever has it can make tokens: the file is for its owner alone. */
  readonly secretKey: Uint8Array;
  readonly eventStore: string;
  readonly database: string;
  readonly artifacts: string;
  readonly edge: string;
  readonly keys: string;
  release(): Promise<void>;
};

/** Creates what is missing. Throws DataFolderInUse when another process has it open. */
export const openDataFolder = async (path: string): Promise<DataFolder> => {
  const dir = resolve(path);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const release = await lockFolder(dir);
  try {
    const keys = join(dir, 'keys');
    await mkdir(keys, { recursive: true, mode: 0o700 });
    const nodeId = (await loadOrCreate(join(dir, 'node-id'), () => Buffer.from(`${randomUUID()}\n`))).toString().trim();
    const secretKey = await loadOrCreate(join(keys, 'secret.key'), () => randomBytes(32));
    if (secretKey.length !== 32) throw new Error(`${join(keys, 'secret.key')} must hold 32 bytes.`);
    const inside = (name: string) => join(dir, name);
    return {
      ...{ dir, nodeId, secretKey, keys, release },
      ...{ eventStore: inside('eventstore'), database: inside('database') },
      ...{ artifacts: inside('artifacts'), edge: inside('edge') },
    };
  } catch (error) {
    await release();
    throw error;
  }
};

/** Written aside, synced and renamed, so that a crash leaves the whole file or none. */
const loadOrCreate = async (path: string, make: () => Uint8Array): Promise<Buffer> => {
  const existing = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (existing) return existing;
  const aside = `${path}.new`;
  const file = await open(aside, 'w', 0o600);
  try {
    await file.writeFile(make());
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(aside, path);
  return readFile(path);
};
