import { decode } from '../../src/commands/envelope.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import type { Database } from '../../src/platform/database/port.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import { createTables } from '../../src/projections/engine/createTables.ts';
import { digestTables } from '../../src/projections/engine/digest.ts';
import { startProjector } from '../../src/projections/engine/projector.ts';
import type { ReadTables } from '../../src/projections/schema.ts';
import { tables } from '../../src/projections/tables.ts';
import { expectEqual } from './checks.ts';
import type { Context } from './context.ts';
import { mysqlScratch, postgresScratch, type ScratchDatabase } from './services.ts';

export type DatabaseName = 'PostgreSQL' | 'MariaDB' | 'PGlite';

export type OpenScratch = { readonly database: Database<ReadTables>; readonly url: string; close(): Promise<void> };

/** An empty database with a random name, gone once closed. */
export const openScratch = async (context: Context, name: DatabaseName): Promise<OpenScratch> => {
  const scratch = await create(name);
  // Also when a signal ends the run.
  context.onEnd(scratch.drop);
  const database = await openDatabase<ReadTables>(scratch.url);
  const close = async (): Promise<void> => {
    await database.close();
    await scratch.drop();
  };
  return { database, url: scratch.url, close };
};

const create = (name: DatabaseName): Promise<ScratchDatabase> => {
  if (name === 'PostgreSQL') return postgresScratch();
  if (name === 'MariaDB') return mysqlScratch();
  return Promise.resolve({ url: 'pglite:memory', drop: async () => {} });
};

const quiet = {
  info: () => {},
  warn: () => {},
  error: (fields: unknown, message: string) => console.error(message, fields),
};

/** Catches up from nothing to the end of the log; answers the seconds from the start to the last commit. */
export const catchUp = async (log: EventLog, database: Database<ReadTables>, events: number): Promise<number> => {
  await createTables(database, tables);
  const head = await log.head();
  const stopping = new AbortController();
  let applied = 0;
  const startedAt = performance.now();
  const projector = startProjector({
    ...{ log, database, tables, decode, logger: quiet, signal: stopping.signal },
    onBatch: (batch) => {
      applied += batch.events;
    },
  });
  const outcome = await projector.waitFor(head, { timeoutMs: 600_000 });
  const seconds = (performance.now() - startedAt) / 1_000;
  stopping.abort();
  await projector.done;
  expectEqual('The projector', outcome, 'reached');
  expectEqual('Events that the projector applied', applied, events);
  return seconds;
};

/** The content of every table: rows, and a digest that is the same on every database. */
export const contentOf = async (
  database: Database<ReadTables>,
  events: number,
): Promise<{ readonly rows: number; readonly digest: string }> => {
  const digests = await digestTables(database, tables);
  expectEqual('Rows in audit_logs', digests.get('audit_logs')?.rows, events);
  const rows = [...digests.values()].reduce((sum, each) => sum + each.rows, 0);
  return { rows, digest: [...digests].map(([name, { sha256 }]) => `${name} ${sha256}`).join('\n') };
};
