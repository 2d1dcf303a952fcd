import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/platform/database/database.ts';
import {
  classifyError,
  DatabaseDiskFull,
  DatabaseInUse,
  DatabaseUrlInvalid,
} from '../../src/platform/database/errors.ts';
import { onEveryDatabase, type TestDatabase } from '../support/database.ts';

type Row = { id: string; n: number | null };
type Schema = { things: Row };

const refusal = async (action: Promise<unknown>): Promise<unknown> =>
  action.then(
    () => 'accepted',
    (error: unknown) => classifyError(error),
  );

const classifyCode = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : error;

it('a file that is not there is no matter of the database; the socket of its server is', () => {
  const missing = (syscall: string) => Object.assign(new Error('not there'), { code: 'ENOENT', syscall });
  expect(classifyError(missing('open'))).toBe('other');
  expect(classifyError(missing('connect'))).toBe('unavailable');
});

it('a server that lets nobody in for now is away, and no defect of a statement', () => {
  const refused = (code: string) => classifyError(Object.assign(new Error('no'), { code }));
  const codes = ['28P01', '28000', '3D000', '55000', 'ER_ACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR', 'ER_READ_ONLY_MODE'];
  expect(codes.map(refused)).toEqual(codes.map(() => 'unavailable'));
  expect(refused('42703')).toBe('other');
});

await onEveryDatabase('a database', (target) => {
  let test: TestDatabase<Schema>;
  beforeAll(async () => {
    test = await target.create<Schema>();
    await sql`create table things (id varchar(64) primary key, n integer)`.execute(test.database.session);
  });
  afterAll(() => test.drop());

  it('takes a server that writes nothing, as the other half of a pair does, for one that is away', async () => {
    const { database } = test;
    const isMysql = database.kind === 'mysql' || database.kind === 'mariadb';
    // On MySQL it must be said before the transaction begins, and ends with it.
    const write = isMysql
      ? database.db.connection().execute(async (one) => {
          await sql`start transaction read only`.execute(one);
          await sql`insert into things values ('x', 1)`.execute(one).finally(() => sql`rollback`.execute(one));
        })
      : database.transaction(async (session) => {
          await sql`set transaction read only`.execute(session);
          await sql`insert into things values ('x', 1)`.execute(session);
        });
    expect(await refusal(write)).toBe('unavailable');
  });

  it('reads numbers, booleans, timestamps and JSON the same as every other database', async () => {
    const { database } = test;
    const isMysql = database.kind === 'mysql' || database.kind === 'mariadb';
    await (isMysql
      ? sql`create table kinds (i int, b bigint, d decimal(10,2), f boolean, at datetime(3), j longtext)`
      : sql`create table kinds (i integer, b bigint, d numeric(10,2), f boolean, at timestamptz(3), j text)`
    ).execute(database.session);
    const at = new Date('2026-01-31T23:30:00.123Z');
    const json = '{"a":[1,2],"b":"ü"}';
    await sql`insert into kinds values (${7}, ${'9007199254740991'}, ${1.5}, ${true}, ${at}, ${json})`.execute(
      database.session,
    );
    await sql`insert into kinds values (${7}, ${'9007199254740992'}, ${1.5}, ${false}, ${at}, ${null})`.execute(
      database.session,
    );
    const { rows } = await sql`select * from kinds order by b`.execute(database.session);
    expect(rows).toEqual([
      { i: 7, b: 9007199254740991, d: 1.5, f: true, at: at.getTime(), j: json },
      { i: 7, b: '9007199254740992', d: 1.5, f: false, at: at.getTime(), j: null },
    ]);
    const count = await sql<{ n: unknown }>`select count(*) as n from kinds`.execute(database.session);
    expect(count.rows).toEqual([{ n: 2 }]);
  });

  it('answers "unavailable" when the server ends a connection between two statements, and goes on with others', async () => {
    const { database } = test;
    if (database.kind === 'pglite') return;
    const isPostgres = database.kind === 'postgres';
    const interrupted = database.transaction(async (tx) => {
      const id = isPostgres ? sql`pg_backend_pid()` : sql`connection_id()`;
      const { rows } = await sql<{ id: number }>`select ${id} as id`.execute(tx);
      const victim = sql.lit(rows[0]?.id ?? 0);
      await (isPostgres ? sql`select pg_terminate_backend(${victim})` : sql`kill ${victim}`).execute(database.session);
      // The end of the connection is noticed by the event loop, not by a statement.
      await new Promise((resolve) => setTimeout(resolve, 100));
      await sql`insert into things values ('never', 1)`.execute(tx);
    });
    expect(await refusal(interrupted)).toBe('unavailable');
    const { rows } = await sql`select * from things where id = 'never'`.execute(database.session);
    expect(rows).toEqual([]);
  });

  it('commits all of a transaction or none of it', async () => {
    const { database } = test;
    const failed = database.transaction(async (tx) => {
      await sql`insert into things values ('x', 1)`.execute(tx);
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    await database.transaction(async (tx) => {
      await sql`insert into things values ('y', 1)`.execute(tx);
      await sql`update things set n = 2 where id = 'y'`.execute(tx);
    });
    expect(await database.db.selectFrom('things').selectAll().execute()).toEqual([{ id: 'y', n: 2 }]);
  });

  it('carries out statements in the order in which they were begun where it need not answer one before the next', async () => {
    const { pipelined, session, db } = test.database;
    if (pipelined === undefined) return;
    const counts = await pipelined(async (tx) => {
      const inserted = sql`insert into things values ('p', 1)`.execute(tx);
      const read = Array.from({ length: 20 }, async (_, n) => {
        const added = sql`update things set n = n + 1 where id = 'p'`.execute(tx);
        const { rows } = await sql<Row>`select n from things where id = 'p'`.execute(tx);
        await added;
        return [n + 2, rows[0]?.n];
      });
      await inserted;
      return Promise.all(read);
    });
    expect(counts.filter(([wanted, found]) => wanted !== found)).toEqual([]);
    await sql`delete from things where id = 'p'`.execute(session);
    expect(await db.selectFrom('things').selectAll().where('id', '=', 'p').execute()).toEqual([]);
  });

  it('undoes all of it when one of several statements under way fails, tells which, and goes on afterwards', async () => {
    const { pipelined, session } = test.database;
    if (pipelined === undefined) return;
    let outcomes: readonly PromiseSettledResult<unknown>[] = [];
    const failed = pipelined(async (tx) => {
      outcomes = await Promise.allSettled([
        sql`insert into things values ('q', 1)`.execute(tx),
        sql`insert into things values ('q', 2)`.execute(tx),
        sql`insert into things values ('r', 3)`.execute(tx),
      ]);
      if (outcomes.some(({ status }) => status === 'rejected')) throw new Error('one of them failed');
    });
    await expect(failed).rejects.toThrow('one of them failed');
    const codes = outcomes.map((each) => (each.status === 'rejected' ? classifyCode(each.reason) : 'done'));
    expect(codes).toEqual(['done', '23505', '25P02']);
    const { rows } = await sql`select * from things where id in ('q', 'r')`.execute(session);
    expect(rows).toEqual([]);
    await pipelined((tx) => sql`insert into things values ('r', 3)`.execute(tx));
    await sql`delete from things where id = 'r'`.execute(session);
  });

  it('keeps transactions that run at the same time apart', async () => {
    const { database } = test;
    await sql`insert into things values ('counter', 0)`.execute(database.session);
    const increment = (): Promise<void> =>
      database.transaction(async (tx) => {
        const { rows } = await sql<Row>`select * from things where id = 'counter' for update`.execute(tx);
        await sql`update things set n = ${(rows[0]?.n ?? 0) + 1} where id = 'counter'`.execute(tx);
      });
    await Promise.all(Array.from({ length: 10 }, increment));
    const { rows } = await sql<Row>`select * from things where id = 'counter'`.execute(database.session);
    expect(rows[0]?.n).toBe(10);
  });

  it('counts matched rows for an update, changed or not', async () => {
    const { database } = test;
    await sql`insert into things values ('same', 5)`.execute(database.session);
    const result = await sql`update things set n = 5 where id = 'same'`.execute(database.session);
    expect(result.numAffectedRows).toBe(1n);
  });

  it('tells a refused row from a defect', async () => {
    const { session } = test.database;
    await sql`insert into things values ('twice', 1)`.execute(session);
    expect(await refusal(sql`insert into things values ('twice', 1)`.execute(session))).toBe('constraint');
    expect(await refusal(sql`insert into things values (null, 1)`.execute(session))).toBe('constraint');
    expect(await refusal(sql`insert into things values (${'x'.repeat(65)}, 1)`.execute(session))).toBe('constraint');
    expect(await refusal(sql`insert into things values ('big', ${99999999999})`.execute(session))).toBe('constraint');
    expect(await refusal(sql`select * from nowhere`.execute(session))).toBe('other');
  });

  it('gives a lock to one holder at a time', async () => {
    const { database } = test;
    const held = await database.tryLock('rebuild');
    expect(held).toBeDefined();
    expect(await database.tryLock('rebuild')).toBeUndefined();
    const other = await database.tryLock('another');
    expect(other).toBeDefined();
    await other?.release();
    await held?.release();
    await expect
      .poll(async () => {
        const again = await database.tryLock('rebuild');
        await again?.release();
        return again !== undefined;
      })
      .toBe(true);
  });
});

describe('a database URL', () => {
  it('that names no database is refused without repeating it', async () => {
    const opened = openDatabase('oracle://scott:tiger@host/x');
    await expect(opened).rejects.toThrow(DatabaseUrlInvalid);
    await expect(opened).rejects.not.toThrow(/tiger/);
  });

  it('at which nothing listens is refused as unavailable', async () => {
    const outcomes = await Promise.all(
      ['postgres://u@127.0.0.1:1/x', 'mysql://u@127.0.0.1:1/x'].map((url) => refusal(openDatabase(url))),
    );
    expect(outcomes).toEqual(['unavailable', 'unavailable']);
  });
});

describe('an embedded database in a folder', () => {
  let parent: string;
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'opslog-pglite-'));
  });
  afterAll(() => rm(parent, { recursive: true, force: true }));
  const open = async (folder: string, warnings: string[] = []) =>
    openDatabase<Schema>(`pglite:${folder}`, {
      logger: { info: () => {}, warn: (_fields, message) => warnings.push(message) },
    });

  it('is there again after a restart', async () => {
    const folder = join(parent, 'kept', 'db');
    const first = await open(folder);
    await sql`create table things (id varchar(64) primary key, n integer)`.execute(first.session);
    await sql`insert into things values ('a', 1)`.execute(first.session);
    await first.close();
    const second = await open(folder);
    expect(await second.db.selectFrom('things').selectAll().execute()).toEqual([{ id: 'a', n: 1 }]);
    await second.close();
  });

  it('is open once only', async () => {
    const folder = join(parent, 'once');
    const first = await open(folder);
    await expect(open(folder)).rejects.toThrow(DatabaseInUse);
    await first.close();
    await (await open(folder)).close();
  });

  it('that is broken is put aside and replaced by an empty one', async () => {
    const folder = join(parent, 'broken');
    const first = await open(folder);
    await sql`create table things (id varchar(64) primary key, n integer)`.execute(first.session);
    await first.close();
    await writeFile(join(folder, 'global', 'pg_control'), 'not a control file');
    const warnings: string[] = [];
    const second = await open(folder, warnings);
    const { rows } = await sql`select 1 as one from pg_class where relname = 'things'`.execute(second.session);
    await second.close();
    expect(rows).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect((await readdir(parent)).filter((name) => name.startsWith('broken.broken-'))).toHaveLength(1);
  });

  it('that does not open on a full disk is left where it is, and says that there is no room', async () => {
    const folder = join(parent, 'full');
    await (await open(folder)).close();
    const controlFile = join(folder, 'global', 'pg_control');
    const whole = await readFile(controlFile);
    await writeFile(controlFile, '');
    const opening = openDatabase<Schema>(`pglite:${folder}`, { freeBytes: async () => 1_024 });
    await expect(opening).rejects.toThrow(DatabaseDiskFull);
    expect((await readdir(parent)).filter((name) => name.startsWith('full.'))).toEqual([]);
    await writeFile(controlFile, whole);
    const warnings: string[] = [];
    await (await open(folder, warnings)).close();
    expect(warnings).toEqual([]);
  });

  it('whose files hold other bytes than were written is put aside too', async () => {
    for (const bytes of [0, 8_192]) {
      const folder = join(parent, `damaged-${bytes}`);
      const first = await open(folder);
      await sql`create table things (id varchar(64) primary key, n integer)`.execute(first.session);
      await sql`insert into things values ('a', 1)`.execute(first.session);
      const paths = await sql<{ path: string }>`
        select pg_relation_filepath(oid) as path from pg_class where relname in ('things', 'things_pkey')`.execute(
        first.session,
      );
      await first.close();
      for (const { path } of paths.rows) await writeFile(join(folder, path), Buffer.alloc(bytes));
      const second = await open(folder);
      await sql`create table things (id varchar(64) primary key, n integer)`.execute(second.session);
      await second.close();
    }
  });

  it('that was open when the machine lost power is not trusted', async () => {
    const folder = join(parent, 'power');
    await (await open(folder)).close();
    await writeFile(`${folder}.owner`, '1\n2\nanother-boot');
    const warnings: string[] = [];
    await (await open(folder, warnings)).close();
    expect(warnings).toHaveLength(1);
  });
});
