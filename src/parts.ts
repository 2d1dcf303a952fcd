import { createHash } from 'node:crypto';
import { type Aggregates, createAggregates } from './commands/aggregates.ts';
import { decode } from './commands/envelope.ts';
import { createWitness, type Witness } from './commands/witness.ts';
import { type Closing, createClosing } from './compose/closing.ts';
import type { Config } from './config.ts';
import { openArtifacts } from './platform/artifacts/open.ts';
import type { ArtifactStore } from './platform/artifacts/port.ts';
import { refuseHalfRestored } from './platform/backup/marker.ts';
import { systemClock, systemRandom } from './platform/clock/system.ts';
import { openDatabase } from './platform/database/database.ts';
import type { Database } from './platform/database/port.ts';
import { openEventLog } from './platform/eventLog/open.ts';
import type { EventLog } from './platform/eventLog/port.ts';
import type { RunningEventStore } from './platform/eventstore/server.ts';
import { startEventStoreThread } from './platform/eventstore/thread.ts';
import { type BuildKey, openBuildKey } from './platform/evidence/keys.ts';
import type { Log } from './platform/log/port.ts';
import { type DataFolder, openDataFolder } from './platform/node/dataFolder.ts';
import { createOutbound } from './platform/outbound/outbound.ts';
import type { Outbound } from './platform/outbound/port.ts';
import type { Keyring } from './platform/vault/keyring.ts';
import type { Vault } from './platform/vault/port.ts';
import { openVault } from './platform/vault/vault.ts';
import { createQueries, type Queries } from './projections/queries.ts';
import type { ReadTables } from './projections/schema.ts';
import { tables } from './projections/tables.ts';
import type { ResyncReport } from './sagas/resync.ts';

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
  /** Spares the guard a read of each stream, where this process follows the log anyway. */
  readonly witness: Witness;
  readonly artifacts: ArtifactStore;
  /** Throws ArtifactStoreUnavailable, with what to do, when artifacts cannot be written, listed, read or removed. */
  readonly checkArtifacts: () => Promise<void>;
  readonly buildKey: BuildKey;
  /** Seals secrets before they enter an event. */
  readonly vault: Vault;
  readonly keyring: Keyring;
  /** HTTP to addresses that tenants choose. */
  readonly outbound: Outbound;
  /** Undefined when the log is on a server of its own: that one is backed up by its own means. */
  readonly embedded: Pick<RunningEventStore, 'copyTo'> | undefined;
  /** What the running node offers to operations. Empty where nothing runs. */
  readonly running: RunningNode;
  close(): Promise<void>;
};

/** What every request asks for. */
const guarded = ['session', 'user', 'apiToken', 'workspace', 'department'];

/** Filled by whoever starts the node. */
export type RunningNode = { resync?: (signal: AbortSignal) => Promise<ResyncReport> };

/**
 * Opens log, database and stores; what is not given by URL is embedded and started. Throws DataFolderInUse when another
 * process has the folder, and whatever keeps a part from opening.
 */
export const openParts = async (config: Config, { logger }: { readonly logger: Log }): Promise<Parts> => {
  const closing = createClosing();
  try {
    await refuseHalfRestored(config.dataDir);
    const folder = await openDataFolder(config.dataDir, config.sharedDir);
    closing.add(folder.release);
    const openingDatabase = openDatabase<ReadTables>(config.databaseUrl ?? `pglite:${folder.database}`, {
      logger,
      maxConnections: config.databaseConnections,
    });
    // Both start at once; a failure of the first must not leave the other unobserved.
    openingDatabase.catch(() => undefined);
    const embedded = config.eventStoreUrl === undefined ? await startEmbedded(config, folder, closing) : undefined;
    const eventStoreUrl = config.eventStoreUrl ?? embedded?.connectionString ?? '';
    const log = await openEventLog({ connectionString: eventStoreUrl, log: logger });
    closing.add(() => log.close());
    const database = await openingDatabase;
    closing.add(() => database.close());
    const { store: artifacts, check: checkArtifacts, close } = await openArtifacts(config.artifacts, folder.artifacts);
    closing.add(close);
    const witness = createWitness({ log, now: Date.now, categories: guarded });
    return {
      ...{ config, logger, folder, eventStoreUrl, log, database, tables, decode },
      scope: `onprem:${createHash('sha256').update(folder.nodeId).digest('hex').slice(0, 12)}`,
      queries: createQueries(database),
      ...{ witness, aggregates: createAggregates({ log, now: Date.now, witness }) },
      ...{ artifacts, checkArtifacts },
      buildKey: await openBuildKey(folder.keys),
      ...(await openVault({ keysDir: folder.keys, random: systemRandom, masterKeys: config.masterKeys })),
      outbound: createOutbound({ clock: systemClock, ...config.outbound }),
      ...{ embedded, running: {}, close: closing.close },
    };
  } catch (error) {
    await closing.close().catch(() => undefined);
    throw error;
  }
};

const startEmbedded = async (config: Config, folder: DataFolder, closing: Closing): Promise<RunningEventStore> => {
  const store = await startEventStoreThread({
    dataDir: folder.eventStore,
    port: config.eventStorePort,
    accessKey: folder.eventStoreKey,
  });
  closing.add(() => store.close());
  return store;
};
