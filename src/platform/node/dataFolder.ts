import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hasCode, syncFolder, writeSynced } from '../artifacts/durable.ts';
import { lockFolder } from '../eventstore/folderLock.ts';

/** Everything one node keeps, in one folder that one process owns; artifacts and keys may be in one that nodes share. */
export type DataFolder = {
  readonly dir: string;
  /** Made once; names this node in leases and on-prem scopes. */
  readonly nodeId: string;
  /** 32 bytes from which tokens are derived. Whoever has it can make tokens: the file is for its owner alone. */
  readonly secretKey: Uint8Array;
  /** Whoever has it may read and write the embedded event store while it runs: kept in `eventstore.key`, for its owner alone. */
  readonly eventStoreKey: string;
  readonly eventStore: string;
  readonly database: string;
  readonly artifacts: string;
  readonly edge: string;
  readonly keys: string;
  /** Where nodes share a folder, in it: any process may answer for lines that another one wrote. */
  readonly workerLogs: string;
  release(): Promise<void>;
};

/** Creates what is missing. Throws DataFolderInUse when another process has the node's own folder open. */
export const openDataFolder = async (path: string, sharedPath: string = path): Promise<DataFolder> => {
  const dir = resolve(path);
  const shared = resolve(sharedPath);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const release = await lockFolder(dir);
  try {
    const keys = join(shared, 'keys');
    await mkdir(keys, { recursive: true, mode: 0o700 });
    const nodeId = (await loadOrCreate(join(dir, 'node-id'), () => Buffer.from(`${randomUUID()}\n`))).toString().trim();
    const secretKey = await loadOrCreate(join(keys, 'secret.key'), () => randomBytes(32));
    if (secretKey.length !== 32) throw new Error(`${join(keys, 'secret.key')} must hold 32 bytes.`);
    const inside = (name: string) => join(dir, name);
    const eventStoreKey = (
      await loadOrCreate(inside('eventstore.key'), () => Buffer.from(randomBytes(32).toString('hex')))
    ).toString();
    return {
      ...{ dir, nodeId, secretKey, eventStoreKey, keys, release },
      ...{ eventStore: inside('eventstore'), database: inside('database') },
      ...{ artifacts: join(shared, 'artifacts'), edge: inside('edge') },
      workerLogs: join(shared, 'worker-logs'),
    };
  } catch (error) {
    await release();
    throw error;
  }
};

/** Written aside, synced and linked: a crash leaves the whole file or none, and of several that start at once one makes it. */
const loadOrCreate = async (path: string, make: () => Uint8Array): Promise<Buffer> => {
  const existing = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (existing) return existing;
  const aside = `${path}.${randomUUID()}`;
  try {
    await writeSynced(aside, make(), 0o600);
    await link(aside, path);
    await syncFolder(dirname(path));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
  return readFile(path);
};
