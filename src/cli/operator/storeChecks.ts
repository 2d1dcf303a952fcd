import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { openArtifacts } from '../../platform/artifacts/open.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { openEventLog } from '../../platform/eventLog/open.ts';
import type { EventLog } from '../../platform/eventLog/port.ts';
import { startEventStoreThread } from '../../platform/eventstore/thread.ts';
import { tables } from '../../projections/tables.ts';
import { messageOf } from '../messageOf.ts';
import { type Check, checkDatabase, checkLog, checkNats, checkStore, down, ok } from '../operations/doctor.ts';

/** Opens each store by itself, so that one that is down does not hide the others; leaves nothing behind. */
export const storeChecks = async (config: Config, dataDir: string): Promise<readonly Check[]> => {
  const store = await openStore(config, dataDir);
  try {
    const log = 'log' in store ? store.log : undefined;
    return [
      'check' in store ? store.check : await checkLog(store.log),
      ...(await checkDatabaseOf(config, dataDir, log)),
      ...(await checkArtifactsOf(config)),
      ...(await checkNats(config)),
    ];
  } finally {
    if ('log' in store) await store.close();
  }
};

type Store = { readonly log: EventLog; close(): Promise<void> } | { readonly check: Check };

const openStore = async (config: Config, dataDir: string): Promise<Store> => {
  const name = 'event store';
  const folder = join(dataDir, 'eventstore');
  if (config.eventStoreUrl === undefined && !existsSync(folder))
    return { check: ok(name, 'embedded, not started yet') };
  try {
    const embedded = config.eventStoreUrl === undefined ? await startEventStoreThread({ dataDir: folder }) : undefined;
    const connectionString = config.eventStoreUrl ?? embedded?.connectionString ?? '';
    const log = await openEventLog({ connectionString, giveUpAfterMs: 4_000, answerWithinMs: 4_000 });
    const close = async (): Promise<void> => {
      await log.close();
      await embedded?.close();
    };
    return { log, close };
  } catch (error) {
    return { check: down(name, messageOf(error), hintFor(error, 'EVENTSTORE_URL')) };
  }
};

const checkDatabaseOf = async (
  config: Config,
  dataDir: string,
  log: EventLog | undefined,
): Promise<readonly Check[]> => {
  const folder = join(dataDir, 'database');
  if (config.databaseUrl === undefined && !existsSync(folder)) return [ok('database', 'embedded, not created yet')];
  try {
    const database = await openDatabase(config.databaseUrl ?? `pglite:${folder}`, {
      connectTimeoutMs: 4_000,
      maxConnections: 2,
    });
    try {
      const names = tables.map(({ name }) => name);
      return await checkDatabase(database, names, log);
    } finally {
      await database.close();
    }
  } catch (error) {
    return [down('database', messageOf(error), hintFor(error, 'DATABASE_URL'))];
  }
};

const checkArtifactsOf = async (config: Config): Promise<readonly Check[]> => {
  if (config.artifacts === undefined) return [];
  const { check, close } = await openArtifacts(config.artifacts, '');
  try {
    return await checkStore(config, check);
  } finally {
    await close();
  }
};

const hintFor = (error: unknown, variable: string): string =>
  error instanceof Error && error.name.endsWith('InUse')
    ? 'Another process has this folder open. Stop it, or choose another folder with --data.'
    : `Start the server that ${variable} names and check the address, or unset the variable to use the embedded one.`;
