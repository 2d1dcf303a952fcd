import { sql } from 'kysely';
import { expect } from 'vitest';
import { decode } from '../../src/commands/envelope.ts';
import type { OpslogEvent } from '../../src/domain/catalog.ts';
import type { Database } from '../../src/platform/database/port.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { createTables, type Projector, startProjector } from '../../src/projections/engine/index.ts';
import { createQueries, type Queries } from '../../src/projections/queries.ts';
import type { ReadTables } from '../../src/projections/schema.ts';
import { tables } from '../../src/projections/tables.ts';
import { type DatabaseTarget, testDatabases } from './database.ts';
import { createMemoryLog, type MemoryLog } from './memoryLog.ts';

/** A fact of a stream, with the parts of its metadata that matter to the rule. */
export type Fact = {
  readonly stream: string;
  readonly event: OpslogEvent;
  readonly meta: Readonly<Record<string, unknown>>;
};

const metadata = {
  actor: { kind: 'user', id: 'user-1' },
  authMethod: 'session',
  workspaceId: 'company-1',
  departmentId: 'department-1',
  requestId: 'request-1',
  commandId: 'command-1',
  $correlationId: 'correlation-1',
  $causationId: 'cause-1',
};

export const fact = (stream: string, event: OpslogEvent, meta: Readonly<Record<string, unknown>> = {}): Fact => ({
  stream,
  event,
  meta: { ...metadata, ...meta },
});

export type ReadTableName = keyof ReadTables;
type Row = Readonly<Record<string, unknown>>;

export type ProjectionWorld = {
  readonly database: Database<ReadTables>;
  readonly queries: Queries;
  readonly log: MemoryLog;
  readonly projector: Projector;
  /** Rows of a table as they are stored, in the order of their keys. */
  rows(table: ReadTableName): Promise<readonly Row[]>;
  /** Appends the facts and waits until every table has them. */
  project(facts: readonly Fact[]): Promise<void>;
  /** `given(facts).when(fact).then({ table: rows })`: the rows must match, and there may be no others. */
  given(...facts: readonly Fact[]): {
    when(...facts: readonly Fact[]): { then(expected: Partial<Record<ReadTableName, readonly Row[]>>): Promise<void> };
    then(expected: Partial<Record<ReadTableName, readonly Row[]>>): Promise<void>;
  };
  /** Empties everything and starts again with an empty log. */
  reset(): Promise<void>;
  stop(): Promise<void>;
};

export const embedded = async (): Promise<DatabaseTarget> => {
  const target = (await testDatabases()).find(({ name }) => name === 'PGlite');
  if (!target) throw new Error('PGlite is always there');
  return target;
};

/** The read tables over a log in memory, kept up to date by a real projector. */
export const startProjection = async (
  target: DatabaseTarget,
  options: { readonly log?: MemoryLog; readonly maxBatch?: number } = {},
): Promise<ProjectionWorld> => {
  const { database, drop } = await target.create<ReadTables>();
  await createTables(database, tables);
  let log = options.log ?? createMemoryLog();
  let stopping = new AbortController();
  const start = (): Projector =>
    startProjector({
      ...{ log, database, tables, decode, logger: silentLog, signal: stopping.signal },
      ...(options.maxBatch !== undefined && { maxBatch: options.maxBatch }),
    });
  let projector = start();

  const halt = async (): Promise<void> => {
    stopping.abort();
    await projector.done;
  };
  const project = async (facts: readonly Fact[]): Promise<void> => {
    let position = 0n;
    for (const { stream, event, meta } of facts) position = log.add(stream, event.type, event.data, meta);
    const outcome = await projector.waitFor(position, { timeoutMs: 20_000 });
    const stopped = projector.status().flatMap(({ table, reason }) => (reason === '' ? [] : [`${table}: ${reason}`]));
    expect({ outcome, stopped }).toEqual({ outcome: 'reached', stopped: [] });
  };
  const rows = async (name: ReadTableName): Promise<readonly Row[]> => {
    const table = tables.find((each) => each.name === name);
    const keys = (table?.primaryKey ?? []).map((key) => sql.ref(key));
    const found = await sql<Row>`select * from ${sql.table(name)} order by ${sql.join(keys)}`.execute(database.session);
    return found.rows;
  };
  const check = async (expected: Partial<Record<ReadTableName, readonly Row[]>>): Promise<void> => {
    for (const { name } of tables) {
      const wanted = expected[name];
      if (wanted === undefined) continue;
      const found = await rows(name);
      expect(found).toMatchObject(wanted);
      expect(found).toHaveLength(wanted.length);
    }
  };

  return {
    database,
    queries: createQueries(database),
    get log() {
      return log;
    },
    get projector() {
      return projector;
    },
    rows,
    project,
    given: (...facts) => ({
      when: (...more) => ({
        then: async (expected) => {
          await project(facts);
          await project(more);
          await check(expected);
        },
      }),
      then: async (expected) => {
        await project(facts);
        await check(expected);
      },
    }),
    reset: async () => {
      await halt();
      for (const { name } of [...tables].reverse()) await sql`delete from ${sql.table(name)}`.execute(database.session);
      await sql`update projection_checkpoints set position = 0, stopped = null`.execute(database.session);
      log = createMemoryLog();
      stopping = new AbortController();
      projector = start();
    },
    stop: async () => {
      await halt();
      await drop();
    },
  };
};
