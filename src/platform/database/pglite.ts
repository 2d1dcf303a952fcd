import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { Kysely } from 'kysely';
import { freeBytes, leastFreeBytes } from '../node/diskRoom.ts';
import { findEmptyDatabase } from './emptyDatabase.ts';
import { classifyError, DatabaseDiskFull } from './errors.ts';
import { pgliteDialect } from './pgliteDialect.ts';
import { claimFolder, moveAside } from './pgliteFolder.ts';
import type { Database, HeldLock, OpenOptions } from './port.ts';
import { postgresParsers } from './values.ts';

const settings: PGliteOptions = { parsers: { ...postgresParsers } };

/** Unpacks an empty database rather than initialising one, which takes three times as long. */
const whenFresh = async (): Promise<PGliteOptions> => {
  const empty = await findEmptyDatabase();
  return empty === undefined ? settings : { ...settings, loadDataDir: empty };
};

/** `target` is `memory` or a folder. */
export const openPglite = async <Schema>(target: string, options: OpenOptions): Promise<Database<Schema>> => {
  if (target === 'memory')
    return wrap(await PGlite.create({ ...(await whenFresh()), dataDir: 'memory://' }), options, () => {});
  const claim = claimFolder(target);
  try {
    return wrap(await openFolder(target, claim.afterPowerLoss, options), options, claim.release);
  } catch (error) {
    claim.release();
    throw error;
  }
};

/**
 * Everything in it can be projected again from the log, so a folder that does not open is put aside, not repaired. One
 * that was open when the machine lost power is not trusted even if it opens: PGlite does not wait for the disk.
 */
const openFolder = async (folder: string, afterPowerLoss: boolean, options: OpenOptions): Promise<PGlite> => {
  const fresh = !existsSync(folder);
  if (fresh || !afterPowerLoss) {
    try {
      return await openAndAsk(folder, fresh ? await whenFresh() : settings);
    } catch (error) {
      if (fresh) {
        await rm(folder, { recursive: true, force: true });
        await refuseWithoutRoom(folder, options);
        throw error;
      }
    }
  }
  // Before anything is moved: what does not open on a full disk may be whole, and an empty one would not open either.
  await refuseWithoutRoom(folder, options);
  const aside = await moveAside(folder, Date.now());
  options.logger?.warn(
    { folder, aside },
    'The embedded database was broken: starting with an empty one, to be projected again',
  );
  return openAndAsk(folder, await whenFresh());
};

const refuseWithoutRoom = async (folder: string, { freeBytes: free = freeBytes }: OpenOptions): Promise<void> => {
  const room = await free(dirname(folder));
  if (room >= leastFreeBytes) return;
  const [has, needs] = [room, leastFreeBytes].map((bytes) => Math.floor(bytes / 1024 ** 2));
  throw new DatabaseDiskFull(
    `The embedded database in ${folder} does not open, and its disk has ${has} MiB left: it needs ${needs} MiB. Make room.`,
  );
};

const openAndAsk = async (folder: string, pgliteOptions: PGliteOptions): Promise<PGlite> => {
  const pglite = await PGlite.create({ ...pgliteOptions, dataDir: folder });
  try {
    await touchTables(pglite);
    return pglite;
  } catch (error) {
    await pglite.close().catch(() => undefined);
    throw error;
  }
};

/** Reads the first row of every table, from the table and by an index: files that lost their content show it here. */
const touchTables = async (pglite: PGlite): Promise<void> => {
  const { rows } = await pglite.query<{ name: string }>(
    "select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  for (const setting of ['set enable_seqscan = on', 'set enable_seqscan = off']) {
    await pglite.exec([setting, ...rows.map(({ name }) => `select 1 from ${name} limit 1`)].join(';'));
  }
  await pglite.exec('reset enable_seqscan');
};

const wrap = <Schema>(pglite: PGlite, options: OpenOptions, release: () => void): Database<Schema> => {
  const db = new Kysely<Schema>({ dialect: pgliteDialect(pglite, options.connectTimeoutMs ?? 30_000) });
  const locks = new Set<string>();
  return {
    kind: 'pglite',
    db,
    session: db,
    classify: classifyError,
    transaction: (work) => db.transaction().execute(work),
    snapshot: (work) => db.transaction().setIsolationLevel('repeatable read').execute(work),
    pipelined: undefined,
    copyOut: undefined,
    copy: (session, table, columns, text) =>
      session.getExecutor().provideConnection(async () => {
        const names = columns.map((name) => `"${name}"`).join(', ');
        await pglite.query(`copy "${table}" (${names}) from '/dev/blob'`, [], { blob: new Blob([text]) });
      }),
    tryLock: async (name) => lockHere(locks, name),
    close: async () => {
      await db.destroy();
      // Kysely closes only what it has opened.
      if (!pglite.closed) await pglite.close();
      release();
    },
  };
};

/** The folder belongs to this process alone, so its locks do too. */
const lockHere = (locks: Set<string>, name: string): HeldLock | undefined => {
  if (locks.has(name)) return undefined;
  locks.add(name);
  return { release: async () => void locks.delete(name) };
};
