import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decode } from '../../src/commands/envelope.ts';
import { eventSchemas, isEventType } from '../../src/commands/eventSchemas.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { verifyAudit } from '../../src/projections/audit/verify.ts';
import type { ReadTables } from '../../src/projections/schema.ts';
import { tables } from '../../src/projections/tables.ts';
import { eventsAfter } from '../matrix/traces.ts';
import { type ApiWorld, startApi } from '../support/api.ts';
import { type Asking, askedOperations } from './described.ts';
import { faultOf } from './judge.ts';
import { hiddenFrom, learn, makePlace, type Place, requestFor, settle } from './place.ts';
import { type Plan, planOf } from './plan.ts';
import { openWire, type Sent, type Wire } from './send.ts';

// Requests made from openapi.json, right ones and every kind of wrong ones, to a server that has something of everything. What
// is answered is held against the document itself. The seed is fixed, so that a change fails for what it changed; another
// one by OPSLOG_PROPERTY_SEED, more requests by OPSLOG_PROPERTY_RUNS.

const seed = Number(process.env['OPSLOG_PROPERTY_SEED'] ?? 20_261_130);
const runs = Number(process.env['OPSLOG_PROPERTY_RUNS'] ?? 10_000);

/** Requests at a time: they meet each other in the same streams, and the read tables take them together. */
const width = 10;

const operations = askedOperations();
const byId = new Map(operations.map((each) => [each.id, each]));

type Tally = { asked: number; right: number; granted: number; done: number; readonly statuses: Map<number, number> };
const tallies = new Map<string, Tally>();
const tallyOf = (id: string): Tally => {
  const tally = tallies.get(id) ?? { asked: 0, right: 0, granted: 0, done: 0, statuses: new Map() };
  tallies.set(id, tally);
  return tally;
};

let world: ApiWorld;
let place: Place;
let wire: Wire;

beforeAll(async () => {
  const streams = { total: 500, perWorkspace: 500, perCaller: 500 };
  world = await startApi({ limits: { streams, waitMs: 5_000 } });
  place = await makePlace(world);
  wire = openWire(world.url);
}, 120_000);

afterAll(async () => {
  wire?.close();
  await world?.stop();
});

const shown = ({ method, path, headers, body }: Sent): string => {
  const text = body === undefined ? '' : JSON.stringify(Buffer.from(body).toString('latin1').slice(0, 2_000));
  return [`${method} ${path}`, ...headers.map(([name, value]) => `${name}: ${value}`), text].join('\n');
};

const ask = async (asking: Asking, plan: Plan): Promise<void> => {
  const { caller, bindings } = await settle(place, asking, plan);
  const sent = requestFor(plan, bindings, caller.token === undefined);
  const received = await wire.send(sent, asking.isStream);
  const tally = tallyOf(asking.id);
  tally.asked += 1;
  tally.statuses.set(received.status, (tally.statuses.get(received.status) ?? 0) + 1);
  const granted = received.status < 300;
  if (plan.right) tally.right += 1;
  if (plan.right && granted) tally.granted += 1;
  if (granted && received.headers['preference-applied'] === undefined) tally.done += 1;
  learn(place, asking, plan, received);
  const fault = faultOf(asking, sent, received, hiddenFrom(place, asking, caller));
  if (fault === undefined) return;
  throw new Error(
    `${asking.id}, asked by ${caller.name}, answers ${fault}\n${shown(sent)}\n\n${received.text.slice(0, 2_000)}`,
  );
};

/** All are answered before one is complained about, so that the next ones find the world at rest. */
const askAll = async (plans: readonly Plan[]): Promise<void> => {
  const answered = await Promise.allSettled(
    plans.map(async (plan) => {
      const asking = byId.get(plan.operation);
      if (asking) await ask(asking, plan);
    }),
  );
  for (const each of answered) if (each.status === 'rejected') throw each.reason;
};

describe('Any request at all', () => {
  test(
    'is answered as the document announces: no 5xx, nothing of the inside, nothing of somebody else',
    async () => {
      const began = performance.now();
      await fc.assert(fc.asyncProperty(fc.array(planOf(operations), { minLength: width, maxLength: width }), askAll), {
        seed,
        numRuns: Math.ceil(runs / width),
        maxSkipsPerRun: 0,
        interruptAfterTimeLimit: 60_000 + runs * 60,
        markInterruptAsFailure: true,
      });
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      console.info(`Requests by property: ${runs} of ${operations.length} operations in ${seconds} s, seed ${seed}.`);
    },
    120_000 + runs * 60,
  );

  test('that is right is mostly granted, of every operation at least once', () => {
    const all = [...tallies.values()];
    const [right, granted] = [
      all.reduce((sum, each) => sum + each.right, 0),
      all.reduce((sum, each) => sum + each.granted, 0),
    ];
    console.info(`Of ${right} right requests ${granted} were granted.`);
    expect(granted / right).toBeGreaterThan(0.5);
    if (runs < 10_000) return;
    const never = operations.filter(({ id }) => tallyOf(id).done === 0).map(({ id }) => id);
    expect(never).toEqual([]);
  });
});

describe('After all of them', () => {
  test('no line of the log says that something failed', () => {
    expect(world.loggedErrors).toEqual([]);
  });

  test('every event can be read, and is one that its schema describes', async () => {
    const unfit: string[] = [];
    for (const event of await eventsAfter(world, 0n)) {
      // What a snapshot holds can be thrown away: it is no fact.
      if (event.stream.startsWith('snapshot-')) continue;
      if (!decode(event)) unfit.push(`${event.stream} ${event.type}: unknown`);
      else if (isEventType(event.type)) {
        const { success, error } = eventSchemas[event.type].safeParse(event.data);
        if (!success) unfit.push(`${event.stream} ${event.type}: ${error.message}`);
      }
    }
    expect(unfit).toEqual([]);
  });

  test('the read tables hold all of the log, and the audit trail of every workspace is proven from it', async () => {
    const { token } = place.own;
    const head = await world.log.head();
    const caughtUp = await world.ask('GET', `/workspaces?waitFor=${head}`, { token });
    expect(caughtUp.status).toBe(200);
    expect((await world.ask('GET', '/health/ready')).status).toBe(200);
    const openScratch = () => openDatabase<ReadTables>('pglite:memory');
    const proof = await verifyAudit({
      database: world.database,
      log: world.log,
      tables,
      decode,
      openScratch,
      at: head,
    });
    expect(proof).toMatchObject({ ok: true, chain: { ok: true }, tables: { differing: [], behind: [] } });
  }, 120_000);
});
