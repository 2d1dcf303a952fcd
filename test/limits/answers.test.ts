import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAnswerBudget } from '../../src/api/answerBudget.ts';
import { turnLimits } from '../../src/api/turns.ts';
import { type ApiWorld, aCompany, type Company, problemOf, startApi } from '../support/api.ts';
import { open } from './raw.ts';

let world: ApiWorld;
let company: Company;
beforeAll(async () => {
  world = await startApi();
  company = await aCompany(world);
});
afterAll(() => world.stop());

/** Far more than the system keeps on the way to somebody who does not read. */
const large = '/openapi.json';
const manyRequests = `GET ${large} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(30);

describe('Answers that nobody reads', () => {
  test('keep further ones from being made for the same owner, and for no other, until he reads', async () => {
    const door = await world.behind({ limits: { answers: { total: 200_000 }, heldAnswers: { ms: 1, most: 100 } } });
    const socket = await open(door.url);
    socket.pause();
    socket.write(manyRequests);
    await expect.poll(() => door.load().answerBytes, { timeout: 10_000 }).toBeGreaterThan(100_000);
    const refused = await door.ask('GET', '/problems/RateExceeded');
    expect(problemOf(refused)).toMatchObject({ title: 'RateExceeded', detail: expect.stringContaining('unread') });
    expect((await door.ask('GET', company.base, { token: company.token })).status).toBe(200);
    socket.resume();
    await expect.poll(() => door.load().answerBytes, { timeout: 10_000 }).toBe(0);
    expect((await door.ask('GET', '/problems/RateExceeded')).status).toBe(200);
    socket.destroy();
    await door.stop();
  });

  test('count no more when the connection is gone', async () => {
    const door = await world.behind({ limits: { answers: { total: 200_000 } } });
    const socket = await open(door.url);
    socket.pause();
    socket.write(manyRequests);
    await expect.poll(() => door.load().answerBytes, { timeout: 10_000 }).toBeGreaterThan(100_000);
    socket.destroy();
    await expect.poll(() => door.load().answerBytes).toBe(0);
    await door.stop();
  });

  test('make whoever goes on bit by bit wait, and let him go on when they are taken', async () => {
    const budget = createAnswerBudget({ total: 200_000 });
    const responses: ServerResponse[] = [];
    const server = createServer((_request, response) => {
      budget.watch('owner', response);
      responses.push(response);
      response.write('x'.repeat(50_000_000));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const socket = await open(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => budget.bytes()).toBeGreaterThan(100_000);
    let isLet = false;
    const waiting = budget.room('owner', new AbortController().signal).then(() => {
      isLet = true;
    });
    await budget.room('other', new AbortController().signal);
    expect(isLet).toBe(false);
    const leaving = new AbortController();
    const gone = budget.room('owner', leaving.signal);
    leaving.abort();
    await gone;
    expect(isLet).toBe(false);
    socket.resume();
    await waiting;
    for (const response of responses) response.end();
    await expect.poll(() => budget.bytes()).toBe(0);
    socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('An answer that is made bit by bit', () => {
  test.each([
    ['the audit trail', '/audit/export'],
    ['the graph of resources', '/resource-graph'],
  ])('takes a turn of its workspace for each bit: %s', async (_what, path) => {
    const running: (number | undefined)[] = [];
    const look = (): void => void running.push(door.load().turns[0]?.running);
    const door: ApiWorld = await world.behind({
      limits: { turns: { ...turnLimits, requests: { ...turnLimits.requests, total: 1, alone: 1, shared: 1 } } },
      aroundQueries: (queries) => ({
        ...queries,
        auditExport: (args) => {
          look();
          return queries.auditExport(args);
        },
        resources: (args) => {
          look();
          return queries.resources(args);
        },
        relations: (args) => {
          look();
          return queries.relations(args);
        },
      }),
    });
    const answered = await door.ask('GET', `${company.base}${path}`, { token: company.token });
    expect(answered.status).toBe(200);
    expect(answered.text.trim().split('\n').at(-1)).toMatch(/"entries"|"end"/);
    expect(running.length).toBeGreaterThan(0);
    expect(new Set(running)).toEqual(new Set([1]));
    await door.stop();
  });

  test('takes one for each page of events as well', async () => {
    const running: (number | undefined)[] = [];
    const door: ApiWorld = await world.behind({
      aroundQueries: (queries) => ({
        ...queries,
        feed: (args) => {
          running.push(door.load().turns[0]?.running);
          return queries.feed(args);
        },
      }),
    });
    const socket = await open(door.url);
    const head = `Host: x\r\nAuthorization: Bearer ${company.token}\r\n`;
    socket.write(`GET ${company.base}/events/stream?after=0 HTTP/1.1\r\n${head}\r\n`);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    await expect.poll(() => text).toContain('DepartmentCreated');
    expect(running[0]).toBe(1);
    socket.destroy();
    await expect.poll(() => door.load().streams).toBe(0);
    await door.stop();
  });
});

describe('What the tokens of a workspace ask for outside of it', () => {
  test('takes turns with what they ask for in it', async () => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const tokens = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const body = { name, role: 'VIEWER' };
        const made = await world.ask('POST', `${company.base}/api-tokens`, { token: company.token, body });
        return String(Object(made.body).token);
      }),
    );
    const path = '/worker/deployments/00000000-0000-4000-8000-000000000000';
    const narrow = { total: 4, alone: 1, shared: 1, waiting: 8, presenceMs: 60_000, yieldMs: 0 };
    const door = await world.behind({
      limits: { turns: { ...turnLimits, requests: narrow } },
      aroundQueries: (queries) => ({
        ...queries,
        ticket: async (args) => {
          await opened;
          return queries.ticket(args);
        },
      }),
    });
    const asked = [...tokens, ...tokens].map((token) => door.ask('GET', path, { token }));
    await expect.poll(() => door.load().turns[0]).toMatchObject({ running: 1, waiting: 3 });
    open();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    await door.stop();
  });
});
