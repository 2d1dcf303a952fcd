import { createHash } from 'node:crypto';
import { type Aggregates, createAggregates } from './commands/aggregates.ts';
import { decode } from './commands/envelope.ts';
import { type Closing, createClosing } from './compose/closing.ts';
import type { Config } from './config.ts';
import { openArtifacts } from './platform/artifacts/open.ts';
import type { ArtifactStore } from './platform/artifacts/port.ts';
import { systemRandom } from './platform/clock/system.ts';
import { openDatabase } from './platform/database/database.ts';
import type { Database } from './platform/database/port.ts';
import { openEventLog } from './platform/eventLog/open.ts';
import type { EventLog } from './platform/eventLog/port.ts';
import { startEventStoreThread } from './platform/eventstore/thread.ts';
import { type BuildKey, openBuildKey } from './platform/evidence/keys.ts';
import type { Log } from './platform/log/port.ts';
import { type DataFolder, openDataFolder } from './platform/node/dataFolder.ts';
import type { Keyring } from './platform/vault/keyring.ts';
import type { Vault } from './platform/vault/port.ts';
import { openVault } from './platform/vault/vault.ts';
import { createQueries, type Queries } from './projections/queries.ts';
import type { ReadTables } from './projections/schema.ts';
import { tables } from './projections/tables.ts';

/** What a process holds open to work on one installation: enough for every operator's command. */
export type Parts = {
  readonly config: Config;
  readonly logger: Log;
  readonly folder: DataFolder;
  /** `onprem:<12 hex>`: the deployment scope of this node. */
  readonly scope: string;
  readonly eventStoreUrl: string;
  readonly log: EventLog;
  readonly database: Database<ReadTables>;
  readonly tables: typeof tables;
  readonly decode: typeof decode;
  readonly queries: Queries;
  readonly aggregates: Aggregates;
  readonly artifacts: ArtifactStore;
  /** Throws ArtifactStoreUnavailable, with what to do, when artifacts cannot be written, listed, read or removed. */
  readonly checkArtifacts: () => Promise<void>;
  readonly buildKey: BuildKey;
  /** Seals secrets before they enter an event. */
  readonly vault: Vault;
  readonly keyring: Keyring;
  close(): Promise<void>;
};

/**
 * Opens log, database and stores; what is not given by URL is embedded and started. Throws DataFolderInUse when another
 * process has the folder, and whatever keeps a part from opening.
 */
export const openParts = async (config: Config, { logger }: { readonly logger: Log }): Promise<Parts> => {
  const closing = createClosing();
  try {
    const folder = await openDataFolder(config.dataDir, config.sharedDir);
    closing.add(folder.release);
    const openingDatabase = openDatabase<ReadTables>(config.databaseUrl ?? `pglite:${folder.database}`, {
      logger,
      maxConnections: config.databaseConnections,
    });
    // Both start at once; a failure of the first must not leave the other unobserved.
    openingDatabase.catch(() => undefined);
    const eventStoreUrl = config.eventStoreUrl ?? (await startEmbedded(config, folder, closing));
    const log = await openEventLog({ connectionString: eventStoreUrl, log: logger });
    closing.add(() => log.close());
    const database = await openingDatabase;
    closing.add(() => database.close());
    const { store: artifacts, check: checkArtifacts, close } = await openArtifacts(config.artifacts, folder.artifacts);
    closing.add(close);
    return {
      ...{ config, logger, folder, eventStoreUrl, log, database, tables, decode },
      scope: `onprem:${createHash('sha256').update(folder.nodeId).digest('hex').slice(0, 12)}`,
      queries: createQueries(database),
      aggregates: createAggregates({ log, now: Date.now }),
      ...{ artifacts, checkArtifacts },
      buildKey: await openBuildKey(folder.keys),
      ...(await openVault({ keysDir: folder.keys, random: systemRandom, masterKeys: config.masterKeys })),
      close: closing.close,
    };
  } catch (error) {
    await closing.close().catch(() => undefined);
    throw error;
  }
};

const startEmbedded = async (config: Config, folder: DataFolder, closing: Closing): Promise<string> => {
  const store = await startEventStoreThread({
    dataDir: folder.eventStore,
    port: config.eventStorePort,
    accessKey: folder.eventStoreKey,
  });
  closing.add(() => store.close());
  return store.connectionString;
};
