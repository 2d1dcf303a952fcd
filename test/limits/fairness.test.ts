import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiLimits, apiLimits } from '../../src/api/deps.ts';
import { fewAtATime } from '../../src/api/fewAtATime.ts';
import { createLimiters } from '../../src/api/limiters.ts';
import * as models from '../../src/api/models.ts';
import { onAccount } from '../../src/api/readCost.ts';
import { turnLimits } from '../../src/api/turns.ts';
import type { ArtifactStore } from '../../src/platform/artifacts/port.ts';
import type { Queries } from '../../src/projections/queries.ts';
import { type ApiWorld, aCompany, aMember, type Company, helloWorker, problemOf, startApi } from '../support/api.ts';
import { createMemoryLog } from '../support/memoryLog.ts';
import { open, sendRaw, statusesIn } from './raw.ts';

let world: ApiWorld;
let one: Company;
let other: Company;
beforeAll(async () => {
  world = await startApi();
  one = await aCompany(world);
  other = await aCompany(world);
});
afterAll(() => world.stop());

const atRest = {
  turns: ['requests', 'lookBacks', 'builds', 'about'].map((kind) => ({ kind, running: 0, waiting: 0 })),
  ...{ bodyBytes: 0, answerBytes: 0, streams: 0, heldAnswers: 0 },
};

const behind = (limits: Partial<ApiLimits>, more: Parameters<ApiWorld['behind']>[0] = {}) =>
  world.behind({ ...more, limits });

/** A gate that holds up whoever comes to it until it is opened. */
const aGate = () => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let arrived = 0;
  return {
    open,
    arrived: () => arrived,
    pass: async () => {
      arrived += 1;
      await opened;
    },
  };
};

const aToken = async ({ base, token }: Company): Promise<string> => {
  const body = { name: 'flood', role: 'ADMIN' };
  return models.issuedApiToken.parse((await world.ask('POST', `${base}/api-tokens`, { token, body })).body).token;
};

describe('The requests of a workspace', () => {
  const few = { perSecond: 0.001, burst: 3 };
  const quick = { ms: 1, most: 100 };

  test('are counted together, whoever of its members and tokens sends them, and no other workspace hears of it', async () => {
    const door = await behind({ perWorkspace: few, heldAnswers: quick });
    const tokens = [one.token, await aToken(one), (await aMember(world, one, { role: 'VIEWER' })).token];
    const statuses = [];
    for (const token of [...tokens, ...tokens]) {
      statuses.push((await door.ask('GET', `${one.base}/departments`, { token })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
    const told = await door.ask('GET', one.base, { token: one.token });
    expect(problemOf(told)).toMatchObject({ title: 'RateExceeded', detail: expect.stringContaining('this workspace') });
    expect((await door.ask('GET', other.base, { token: other.token })).status).toBe(200);
    await door.stop();
  });

  test('cannot be spent by somebody who is no member', async () => {
    const door = await behind({ perWorkspace: few, heldAnswers: quick });
    const stranger = await aToken(other);
    for (let index = 0; index < 6; index += 1) {
      expect((await door.ask('GET', one.base, { token: stranger })).status).toBe(404);
    }
    expect((await door.ask('GET', one.base, { token: one.token })).status).toBe(200);
    await door.stop();
  });
});

describe('A look back', () => {
  test('counts as twenty requests', async () => {
    const door = await behind({ perWorkspace: { perSecond: 0.001, burst: 22 }, heldAnswers: { ms: 1, most: 100 } });
    const statuses = [];
    for (const query of ['?at=2020-01-01T00:00:00Z', '', '']) {
      statuses.push((await door.ask('GET', `${one.base}${query}`, { token: one.token })).status);
    }
    expect(statuses).toEqual([404, 200, 429]);
    await door.stop();
  });
});

describe('A submission', () => {
  test('counts as ten requests and one for itself', async () => {
    const door = await behind({ perWorkspace: { perSecond: 0.001, burst: 12 }, heldAnswers: { ms: 1, most: 100 } });
    const sent = await door.ask('POST', `${one.worker}/revisions`, { token: one.token, body: helloWorker() });
    const statuses = [sent.status];
    for (const _ of [1, 2]) statuses.push((await door.ask('GET', one.base, { token: one.token })).status);
    expect(statuses).toEqual([201, 200, 429]);
    await door.stop();
  });
});

describe('A difference', () => {
  test.each([
    ['as twenty requests and one for each thing of its page', '', 40],
    ['the more the longer its page may be', '?limit=50', 70],
    ['for one thing at least, whatever is asked for', '?limit=-1000', 21],
  ])('counts %s', async (_how, query, weight) => {
    const burst = weight + 2;
    const door = await behind({ perWorkspace: { perSecond: 0.001, burst }, heldAnswers: { ms: 1, most: 100 } });
    const statuses = [];
    for (const path of [`/diff${query}`, '', '']) {
      statuses.push((await door.ask('GET', `${one.base}${path}`, { token: one.token })).status);
    }
    expect(statuses.slice(1)).toEqual([200, 429]);
    await door.stop();
  });
});

describe('What is read of long streams', () => {
  test('is owed by the workspace afterwards, also when nothing is left to pay with', async () => {
    const limiters = createLimiters({ ...apiLimits, perWorkspace: { perSecond: 1, burst: 10 } }, () => 0);
    const log = createMemoryLog();
    for (let index = 0; index < 1_000; index += 1) log.add('department-d', 'DepartmentCreated', {}, {});
    const read = () =>
      onAccount({ limiters }, { workspaceId: 'w', log }, async (counting) => {
        let events = 0;
        for await (const _ of counting.readStream('department-d')) events += 1;
        return events;
      });
    expect(await read()).toBe(1_000);
    expect(limiters.perWorkspace('w')).toBe(11);
    await read();
    expect(limiters.perWorkspace('w')).toBe(31);
    expect(limiters.perWorkspace('other')).toBe(0);
  });

  test('is begun for a few things at a time, and answered in their order', async () => {
    let running = 0;
    let most = 0;
    const results = await fewAtATime([5, 1, 4, 2, 3], 2, async (ticks) => {
      running += 1;
      most = Math.max(most, running);
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      running -= 1;
      return ticks * 10;
    });
    expect([most, ...results]).toEqual([2, 50, 10, 40, 20, 30]);
    expect(await fewAtATime([], 2, async () => 1)).toEqual([]);
  });
});

describe('A large body', () => {
  const rate = { perSecond: 0.001, burst: 100 };
  const quick = { ms: 1, most: 100 };
  const spaces = new TextEncoder().encode(' '.repeat(1_000_000));
  const framed = { 'content-type': 'application/json' };

  test('counts as many requests, so that few of them are read and the next ones are told to wait', async () => {
    for (const limits of [{ perToken: rate }, { perWorkspace: rate }]) {
      const door = await behind({ ...limits, heldAnswers: quick });
      const statuses = [];
      for (let index = 0; index < 4; index += 1) {
        const ask = { token: one.token, bytes: spaces, headers: framed };
        statuses.push((await door.ask('POST', `${one.base}/departments`, ask)).status);
      }
      expect(statuses).toEqual([400, 400, 429, 429]);
      await door.stop();
    }
  });

  test('of an unknown size counts as one of a mebibyte', async () => {
    const door = await behind({ perWorkspace: rate, heldAnswers: quick });
    const request =
      `POST ${one.base}/departments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${one.token}\r\n` +
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\n1\r\n0\r\n\r\n';
    const statuses = [];
    for (let index = 0; index < 3; index += 1) statuses.push(...statusesIn(await sendRaw(door.url, request)));
    expect(statuses).toEqual([400, 400, 429]);
    await door.stop();
  });
});

describe('An answer that tells somebody to wait', () => {
  const none = { perSecond: 0.001, burst: 1 };

  test('is held for a moment, and ends the connection when too many are held', async () => {
    const door = await behind({ perWorkspace: none, heldAnswers: { ms: 1_000, most: 1 } });
    await door.ask('GET', one.base, { token: one.token });
    const held = door.ask('GET', one.base, { token: one.token });
    await expect.poll(() => door.load().heldAnswers).toBe(1);
    const next = await door.ask('GET', one.base, { token: one.token });
    expect([next.status, next.headers.get('connection'), door.load().heldAnswers]).toEqual([429, 'close', 1]);
    expect((await held).status).toBe(429);
    expect(door.load()).toEqual(atRest);
    await door.stop();
  });
});

describe('While one workspace has as much under way as it may', () => {
  const tight = { total: 4, alone: 3, shared: 1, waiting: 2, presenceMs: 60_000, yieldMs: 0 };

  test('its next requests wait, those beyond are refused, and another workspace is answered', async () => {
    const gate = aGate();
    const aroundQueries = (queries: Queries): Queries => ({
      ...queries,
      departments: async (args) => {
        if (args.workspaceId === one.workspaceId) await gate.pass();
        return queries.departments(args);
      },
    });
    const door = await behind({ turns: { ...turnLimits, requests: tight } }, { aroundQueries });
    const ask = ({ base, token }: Company) => door.ask('GET', `${base}/departments`, { token });
    const asked = Array.from({ length: 5 }, () => ask(one));
    await expect.poll(() => door.load().turns[0]).toEqual({ kind: 'requests', running: 3, waiting: 2 });
    const refused = await ask(one);
    expect(problemOf(refused)).toMatchObject({ title: 'RateExceeded', status: 429 });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await ask(other)).status).toBe(200);
    expect(gate.arrived()).toBe(3);
    gate.open();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await expect.poll(() => door.load()).toEqual(atRest);
    await door.stop();
  });

  test('what waits for a client that is gone is not done', async () => {
    const gate = aGate();
    const aroundQueries = (queries: Queries): Queries => ({
      ...queries,
      departments: async (args) => {
        await gate.pass();
        return queries.departments(args);
      },
    });
    const door = await behind({ turns: { ...turnLimits, requests: { ...tight, alone: 1 } } }, { aroundQueries });
    const first = door.ask('GET', `${one.base}/departments`, { token: one.token });
    await expect.poll(gate.arrived).toBe(1);
    const socket = await open(door.url);
    socket.write(`GET ${one.base}/departments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${one.token}\r\n\r\n`);
    await expect.poll(() => door.load().turns[0]?.waiting).toBe(1);
    socket.destroy();
    await expect.poll(() => door.connections()).toBe(1);
    gate.open();
    expect((await first).status).toBe(200);
    await expect.poll(() => door.load()).toEqual(atRest);
    expect(gate.arrived()).toBe(1);
    await door.stop();
  });
});

describe('While one workspace builds as much as it may', () => {
  test('another one builds, and its own next one is told to come back before it is read', async () => {
    const gate = aGate();
    let puts = 0;
    const aroundArtifacts = (artifacts: ArtifactStore): ArtifactStore => ({
      ...artifacts,
      put: async (...args) => {
        puts += 1;
        if (puts === 1) await gate.pass();
        return artifacts.put(...args);
      },
    });
    const builds = { total: 2, alone: 1, shared: 1, waiting: 0, presenceMs: 60_000, yieldMs: 0 };
    const door = await behind({ turns: { ...turnLimits, builds } }, { aroundArtifacts });
    const submit = ({ worker, token }: Company) =>
      door.ask('POST', `${worker}/revisions`, { token, body: helloWorker() });
    const first = submit(one);
    await expect.poll(gate.arrived).toBe(1);
    const refused = submit(one);
    await expect.poll(() => door.load().heldAnswers).toBe(1);
    expect(problemOf(await refused)).toMatchObject({ title: 'ServerBusy', status: 503 });
    expect((await submit(other)).status).toBe(201);
    gate.open();
    expect((await first).status).toBe(201);
    await expect.poll(() => door.load()).toEqual(atRest);
    await door.stop();
  });
});

describe('Bodies of one workspace', () => {
  test('leave as much memory free as they take, however many tokens send them', async () => {
    const door = await behind({ bodies: { total: 400_000, perCaller: 200_000 } });
    const tokens = await Promise.all([1, 2, 3, 4].map(() => aToken(one)));
    const slow = await Promise.all(
      tokens.map(async (token) => {
        const socket = await open(door.url);
        const head = `POST ${one.base}/departments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
        socket.write(`${head}Content-Type: application/json\r\nContent-Length: 150000\r\n\r\n${' '.repeat(90_000)}`);
        const answered = new Promise<string>((resolve) => {
          socket.once('data', (chunk) => resolve(chunk.toString()));
          socket.once('close', () => resolve(''));
        });
        return { socket, answered };
      }),
    );
    expect(await Promise.race(slow.map(({ answered }) => answered))).toContain('"title":"ServerBusy"');
    expect(door.load().bodyBytes).toBeLessThanOrEqual(200_000);
    const bytes = new TextEncoder().encode(JSON.stringify({ name: 'Served', slug: 'served' }).padEnd(80_000));
    const headers = { 'content-type': 'application/json' };
    const served = await door.ask('POST', `${other.base}/departments`, { token: other.token, bytes, headers });
    expect(served.status).toBe(201);
    for (const { socket } of slow) socket.destroy();
    await expect.poll(() => door.load()).toEqual(atRest);
    await door.stop();
  });
});

describe('The limits that are set', () => {
  test('let no workspace take everything that there is', () => {
    for (const { total, alone, shared } of Object.values(apiLimits.turns)) {
      expect(alone).toBeLessThan(total);
      expect(2 * shared).toBeLessThanOrEqual(total);
    }
    expect(2 * apiLimits.streams.perWorkspace).toBeLessThanOrEqual(apiLimits.streams.total);
    expect(2 * apiLimits.bodies.perCaller).toBeLessThanOrEqual(apiLimits.bodies.total);
  });
});
