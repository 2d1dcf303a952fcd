import { sql } from 'kysely';
import type { Recorded } from '../../../src/domain/kernel.ts';
import type { SqlDatabase } from '../../../src/platform/database/port.ts';
import type { EventLog, StoredEvent } from '../../../src/platform/eventLog/port.ts';
import { createTables } from '../../../src/projections/engine/createTables.ts';
import { type Projector, type ProjectorOptions, startProjector } from '../../../src/projections/engine/projector.ts';
import type { AnyEvent, AnyTable } from '../../../src/projections/table.ts';
import { libraryTables } from './sample.ts';

const known = new Set([
  'ShelfBuilt',
  'ShelfRenamed',
  'ShelfTornDown',
  'BookBought',
  'BookLent',
  'BookReturned',
  'BookRead',
  'BookMoved',
  'BookSold',
]);

/** The log's events as the sample tables want them; types from elsewhere are unknown. */
export const decode = (stored: StoredEvent): Recorded<AnyEvent> | undefined => {
  if (!known.has(stored.type)) return undefined;
  const dash = stored.stream.indexOf('-');
  return {
    type: stored.type,
    data: stored.data,
    meta: {
      eventId: stored.id,
      category: stored.stream.slice(0, dash),
      subjectId: stored.stream.slice(dash + 1),
      revision: stored.revision,
      position: stored.position,
      recordedAt: stored.recordedAt,
      correlationId: '',
      causationId: '',
      actor: { kind: 'system', id: 'test' },
      authMethod: 'system',
      workspaceId: String(stored.metadata['workspaceId'] ?? 'w1'),
      departmentId: '',
      requestId: '',
      commandId: '',
      commandDigest: '',
    },
  };
};

/** Children before parents, and whatever a rebuild left behind. */
export const dropTables = async (database: SqlDatabase): Promise<void> => {
  for (const name of ['titles', 'book_versions', 'books', 'shelves', 'loan_log', 'readers']) {
    await sql`drop table if exists ${sql.table(name)}`.execute(database.session);
  }
  await sql`drop table if exists projection_checkpoints`.execute(database.session);
};

/** The sample tables, empty and at the beginning of the log: as good as new ones, and much sooner there. */
export const emptyTables = async (database: SqlDatabase): Promise<void> => {
  await sql`drop table if exists titles`.execute(database.session);
  await createTables(database, libraryTables);
  for (const name of ['book_versions', 'books', 'shelves', 'loan_log', 'readers']) {
    await sql`delete from ${sql.table(name)}`.execute(database.session);
  }
  await sql`delete from projection_checkpoints where name = 'titles'`.execute(database.session);
  await sql`update projection_checkpoints set position = 0, stopped = null`.execute(database.session);
};

export type Running = { readonly projector: Projector; stop(): Promise<void> };

export const quiet: ProjectorOptions['logger'] = { info: () => {}, warn: () => {}, error: () => {} };

/** A projector over the sample tables, or others; `stop` waits for its end. */
export const run = (log: EventLog, database: SqlDatabase, more: Partial<ProjectorOptions> = {}): Running => {
  const abort = new AbortController();
  const projector = startProjector({
    log,
    database,
    tables: libraryTables,
    decode,
    logger: quiet,
    signal: abort.signal,
    ...more,
  });
  return {
    projector,
    stop: async () => {
      abort.abort();
      await projector.done;
    },
  };
};

/** Creates the tables and projects everything that is in the log. */
export const projectAll = async (
  log: EventLog,
  database: SqlDatabase,
  more: Partial<ProjectorOptions> & { readonly tables?: readonly AnyTable[] } = {},
): Promise<void> => {
  await createTables(database, more.tables ?? libraryTables);
  const running = run(log, database, more);
  const outcome = await running.projector.waitFor(await log.head(), { timeoutMs: 20_000 });
  await running.stop();
  if (outcome !== 'reached') throw new Error(`the projector ${outcome}`);
};
