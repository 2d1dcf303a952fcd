import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decode } from '../../src/commands/envelope.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { createTables, startProjector } from '../../src/projections/engine/index.ts';
import { createQueries } from '../../src/projections/queries.ts';
import type { ReadTables } from '../../src/projections/schema.ts';
import { tables } from '../../src/projections/tables.ts';
import { type ApiWorld, startApi } from '../support/api.ts';
import { onEveryDatabase } from '../support/database.ts';
import { somebody } from './callers.ts';
import { watchTenant } from './dropPredicate.ts';
import { aFullWorkspace, type FullWorkspace, must } from './fullWorkspace.ts';
import { type QueryFixture, queryFixtures, type Side } from './queryFixtures.ts';
import { asText, wordsOf } from './traces.ts';

// Every query of a tenant, asked by one of two workspaces that have the same of everything in one database: it shows nothing
// of the other, and would as soon as one of its comparisons with the tenant were missing.

let world: ApiWorld;
let sides: readonly [Side, Side];

const fixtures: readonly (readonly [string, QueryFixture])[] = Object.entries(queryFixtures);
const ofTenant = fixtures.flatMap(([name, fixture]) => ('asks' in fixture ? [{ name, fixture }] : []));
type OfTenant = (typeof ofTenant)[number]['fixture'];

beforeAll(async () => {
  world = await startApi();
  const admin = await world.signIn();
  const make = async (): Promise<FullWorkspace> => {
    const canary = `c${randomBytes(6).toString('hex')}`;
    const owner = await somebody(world, admin);
    const made = await aFullWorkspace(world, { owner, canary, revisions: 2 });
    const { base, token, ids } = made;
    // One more, which nobody carries out.
    await must(world, 'POST', `${base}/departments/${ids.departmentId}/worker/deployments`, { token, body: {} });
    return made;
  };
  const [first, second] = [await make(), await make()];
  await must(world, 'GET', `/workspaces?waitFor=${await world.log.head()}`, first);
  sides = [await asSide(first), await asSide(second)];
}, 120_000);

afterAll(() => world?.stop());

const asSide = async (workspace: FullWorkspace): Promise<Side> => {
  const { rows } = await sql<{ position: number | string }>`
    select position from audit_logs where workspace_id = ${workspace.ids.workspaceId}
  `.execute(world.database.session);
  const positions = new Set(rows.map(({ position }) => Number(position)));
  return { ...workspace, newest: Math.max(...positions), positions };
};

/** What an answer shows of the other workspace, or of any that is not one's own; a position is one's own. */
const leakOf = (answer: unknown, me: Side, other: Side): readonly string[] => {
  if (typeof answer === 'number') return me.positions.has(answer) ? [] : [`position ${answer}`];
  const text = asText(answer) ?? '';
  const tenants = [...text.matchAll(/"(?:workspaceId|companyId)":"([^"]+)"/g)].map(([, id = '']) => id);
  const strange = tenants.filter((id) => id !== me.ids.workspaceId);
  return [...strange, ...wordsOf(other).filter((word) => text.includes(word))];
};

type Asked = { readonly leaks: readonly string[]; readonly found: readonly string[]; readonly values: number };

/** All questions of a query, by either of the two, with the comparisons left out that `drop` says. */
const askBoth = async (
  db: ApiWorld['database'],
  { asks }: OfTenant,
  drop: (index: number) => boolean = () => false,
): Promise<Asked> => {
  const [first, second] = sides;
  let asked: Asked = { leaks: [], found: [], values: 0 };
  for (const [me, other] of [
    [first, second],
    [second, first],
  ] as const) {
    for (const ask of asks({ me, other })) {
      const watched = watchTenant(me.ids.workspaceId, drop);
      const answer = await ask(createQueries({ ...db, db: db.db.withPlugin(watched) }));
      const found = watched.found().length > asked.found.length ? watched.found() : asked.found;
      const values = Math.max(asked.values, watched.values());
      asked = { leaks: [...asked.leaks, ...leakOf(answer, me, other)], found, values };
    }
  }
  return asked;
};

test('every query has its line in queryFixtures.ts, and no line is of a query that is gone', () => {
  expect(Object.keys(queryFixtures).sort()).toEqual(Object.keys(createQueries(world.database)).sort());
});

describe('A query of a tenant', () => {
  test.each(ofTenant)(
    '$name shows nothing of another, and no comparison with the tenant can be left out unnoticed',
    async ({ fixture }) => {
      const whole = await askBoth(world.database, fixture);
      expect(whole.leaks).toEqual([]);
      // Where the tenant is anywhere but in a comparison, what follows would not see it.
      expect(whole.found.length).toBeGreaterThan(0);
      expect(whole.values).toBe(whole.found.length);
      const none = await askBoth(world.database, fixture, () => true);
      expect(none.leaks.length, 'without any comparison').toBeGreaterThan(0);
      const unnoticed: number[] = [];
      for (const [index] of whole.found.entries()) {
        const without = await askBoth(world.database, fixture, (each) => each === index);
        if (without.leaks.length === 0) unnoticed.push(index);
      }
      const redundant = Object.keys(fixture.redundant ?? {}).map(Number);
      expect({ unnoticed, of: whole.found }).toEqual({ unnoticed: redundant, of: whole.found });
    },
  );
});

await onEveryDatabase('Queries of tenants', (target) => {
  test('show nothing of another tenant', async () => {
    const { database, drop } = await target.create<ReadTables>();
    const stopping = new AbortController();
    await createTables(database, tables);
    const { log } = world;
    const projector = startProjector({
      ...{ log, database, tables, decode, logger: silentLog, signal: stopping.signal },
    });
    try {
      expect(await projector.waitFor(await log.head(), { timeoutMs: 30_000 })).toBe('reached');
      const leaks = new Map<string, readonly string[]>();
      for (const { name, fixture } of ofTenant) {
        const asked = await askBoth(database, fixture);
        if (asked.leaks.length > 0) leaks.set(name, asked.leaks);
      }
      expect(leaks).toEqual(new Map());
    } finally {
      stopping.abort();
      await projector.done;
      await drop();
    }
  }, 60_000);
});

describe('A query across tenants', () => {
  const api = join(import.meta.dirname, '../../src/api');
  const texts = readdirSync(api, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, text: readFileSync(join(api, file), 'utf8') }));
  /** As a property of the queries, or by its name as in `Pick<Queries, 'scopes'>`. */
  const namedIn = (name: string) =>
    texts
      .filter(({ text }) => new RegExp(`queries\\??\\.${name}\\b|'${name}'`, 'i').test(text))
      .map(({ file }) => file);

  test('is out of reach of the API, but for those with a reason', () => {
    const reached = fixtures.flatMap(([name, fixture]) =>
      'across' in fixture && fixture.api === undefined && namedIn(name).length > 0 ? [`${name}: ${namedIn(name)}`] : [],
    );
    expect(reached).toEqual([]);
  });

  test('has a reason for the API only where the API asks it', () => {
    const unused = fixtures.flatMap(([name, fixture]) =>
      'across' in fixture && fixture.api !== undefined && namedIn(name).length === 0 ? [name] : [],
    );
    expect(unused).toEqual([]);
  });

  test('the API takes queries one by one, never all of them', () => {
    const destructured = texts.filter(({ text }) => /\}\s*=\s*(deps\.)?queries\b/.test(text)).map(({ file }) => file);
    expect(destructured).toEqual([]);
  });
});
