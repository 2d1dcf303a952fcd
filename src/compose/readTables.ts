import type { Parts } from '../parts.ts';
import { readCheckpoints } from '../projections/engine/checkpoints.ts';
import { createTables } from '../projections/engine/createTables.ts';
import { type Projector, startProjector } from '../projections/engine/projector.ts';
import { rebuild } from '../projections/engine/rebuild.ts';
import type { Metrics } from './metrics.ts';

export type ReadTablesPart = {
  /** Undefined in a process without the projector role: it watches the checkpoints instead. */
  readonly projector: Projector | undefined;
  waitFor(position: bigint, options: { readonly timeoutMs: number }): Promise<'reached' | 'timeout'>;
  /** Calls back whenever read tables may have changed. */
  onChange(listener: () => void): void;
  stop(): Promise<void>;
};

/** Creates what is missing and, in the projector role, keeps the tables equal to the log; outdated ones are rebuilt first. */
export const startReadTables = async (parts: Parts, metrics: Metrics): Promise<ReadTablesPart> => {
  const { database, tables, log, logger, decode, config } = parts;
  const { outdated } = await createTables(database, tables);
  const stopping = new AbortController();
  const listeners: (() => void)[] = [];
  const changed = () => {
    for (const listener of listeners) listener();
  };
  if (!config.roles.has('projector')) {
    return {
      projector: undefined,
      waitFor: (position, { timeoutMs }) => watchCheckpoints(parts, position, timeoutMs),
      onChange: (listener) => listeners.push(listener),
      stop: async () => stopping.abort(),
    };
  }
  const projector = startProjector({
    ...{ log, database, tables, decode, logger, signal: stopping.signal },
    onCommitted: changed,
    onBatch: metrics.batchProjected,
    onStopped: (table, reason) => logger.error({ table, reason }, 'projector: a table has stopped'),
  });
  const rebuilding = outdated.length > 0 ? rebuildOutdated(parts, projector, stopping.signal) : Promise.resolve();
  return {
    projector,
    waitFor: async (position, options) =>
      (await projector.waitFor(position, options)) === 'reached' ? 'reached' : 'timeout',
    onChange: (listener) => listeners.push(listener),
    stop: async () => {
      stopping.abort();
      await rebuilding;
      await projector.done;
    },
  };
};

const rebuildOutdated = async (parts: Parts, projector: Projector, signal: AbortSignal): Promise<void> => {
  const { log, database, tables, decode, logger } = parts;
  logger.warn({}, 'projector: read tables of another version are there; building this version beside them');
  try {
    await rebuild({ log, database, tables, decode, signal });
    await projector.resume();
  } catch (error) {
    if (!signal.aborted)
      logger.error({ err: error }, 'projector: the rebuild failed; run "opslog rebuild" to try again');
  }
};

/** Another process projects: look at what it committed until it is enough. */
const watchCheckpoints = async (parts: Parts, position: bigint, timeoutMs: number): Promise<'reached' | 'timeout'> => {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const checkpoints = await readCheckpoints(parts.database.session);
    const reached = parts.tables.every((table) => (checkpoints.get(table.name)?.position ?? -1n) >= position);
    if (reached) return 'reached';
    if (Date.now() >= until) return 'timeout';
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
};
