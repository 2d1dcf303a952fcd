import type { Parts } from '../parts.ts';
import { createCheckpointStore } from '../projections/checkpointStore.ts';
import { createTables, disownTables } from '../projections/engine/createTables.ts';
import { type Projector, startProjector } from '../projections/engine/projector.ts';
import { rebuild } from '../projections/engine/rebuild.ts';
import type { WaitOptions, WaitOutcome } from '../projections/engine/waiters.ts';
import { watchCheckpoints } from '../projections/engine/watch.ts';
import { followForGuard } from './followForGuard.ts';
import type { Metrics } from './metrics.ts';
import { type ReadTablesHealth, remoteHealth, statusHealth } from './readTablesHealth.ts';
import { differsFromLog } from './sameLog.ts';
import { watchLog } from './watchLog.ts';

export type ReadTablesPart = {
  /** `stopped`: a table that was asked for will not get there by itself. All tables are asked for when none is named. */
  waitFor(position: bigint, options: WaitOptions): Promise<WaitOutcome>;
  /** Calls back whenever read tables may have changed. */
  onChange(listener: () => void): void;
  health(): Promise<ReadTablesHealth>;
  stop(): Promise<void>;
};

/** Creates what is missing and, in the projector role, keeps the tables equal to the log; outdated ones are rebuilt first. */
export const startReadTables = async (parts: Parts, metrics: Metrics): Promise<ReadTablesPart> => {
  const { database, tables, logger, config } = parts;
  const { outdated } = await createTables(database, tables);
  if (!config.roles.has('projector')) return watch(parts);
  const difference = await differsFromLog(parts);
  if (difference === '') return project(parts, metrics, outdated);
  logger.error({ difference }, 'projector: the read tables were made from another log; all of them are built again');
  await disownTables(database, tables);
  await createCheckpointStore(database).forget();
  return project(
    parts,
    metrics,
    tables.map(({ name }) => name),
  );
};

const project = (parts: Parts, metrics: Metrics, outdated: readonly string[]): ReadTablesPart => {
  const { database, tables, logger, decode, witness } = parts;
  const log = witness.overhearing(parts.log);
  const stopping = new AbortController();
  const listeners: (() => void)[] = [];
  const projector = startProjector({
    ...{ log, database, tables, decode, logger, signal: stopping.signal },
    onCommitted: () => {
      for (const listener of listeners) listener();
    },
    onBatch: metrics.batchProjected,
    onHalved: metrics.batchHalved,
  });
  const rebuilding = outdated.length > 0 ? rebuildOutdated(parts, projector, stopping.signal) : Promise.resolve();
  return {
    waitFor: projector.waitFor,
    onChange: (listener) => listeners.push(listener),
    health: async () => statusHealth(projector.status(), await log.end()),
    stop: async () => {
      stopping.abort();
      await rebuilding;
      await projector.done;
    },
  };
};

/** Another process projects: look at what it commits. */
const watch = (parts: Parts): ReadTablesPart => {
  const { database, tables } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const checkpoints = watchCheckpoints(database, tables, signal);
  const watching = parts.config.roles.has('api') ? [followForGuard({ ...parts, signal })] : [];
  return {
    waitFor: checkpoints.waitFor,
    onChange: (listener) => {
      watching.push(watchLog({ ...parts, waitFor: checkpoints.waitFor, signal }, listener));
    },
    health: () => remoteHealth(parts),
    stop: async () => {
      stopping.abort();
      await Promise.all(watching);
    },
  };
};

const rebuildOutdated = async (parts: Parts, projector: Projector, signal: AbortSignal): Promise<void> => {
  const { log, database, tables, decode, logger } = parts;
  logger.warn({}, 'projector: read tables of another origin are there; building new ones beside them');
  try {
    await rebuild({ log, database, tables, decode, signal });
    await projector.resume();
  } catch (error) {
    if (!signal.aborted)
      logger.error({ err: error }, 'projector: the rebuild failed; run "opslog rebuild" to try again');
  }
};
