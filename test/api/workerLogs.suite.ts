import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { issuedApiToken } from '../../src/api/models.ts';
import { type ApiWorld, aCompany, aLiveWorker, aMember, type Company, problemOf } from '../support/api.ts';
import { type EventReader, openEventStream } from '../support/eventStream.ts';

const page = z.object({
  items: z.array(z.object({ message: z.string(), cursor: z.string(), revision: z.number().nullable() })),
  next: z.string(),
  dropped: z.number(),
});

export const workerLogSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  beforeAll(async () => {
    world = await shared();
  });

  const aTalker = async () => {
    const company = await aCompany(world);
    await aLiveWorker(world, company);
    const shown = await world.ask('GET', company.worker, { token: company.token });
    const { scriptName } = z.object({ scriptName: z.string() }).parse(shown.body);
    let at = Date.now();
    const write = async (...messages: readonly string[]): Promise<void> => {
      for (const message of messages) {
        at += 1;
        world.workerLogs.write(scriptName, { at, revision: 1, origin: 'console', level: 'log', message });
      }
      await world.workerLogs.flush();
    };
    return { company, scriptName, write };
  };
  const read = async ({ worker, token }: Company, query = '') =>
    page.parse((await world.ask('GET', `${worker}/logs${query}`, { token })).body);
  const follow = async ({ worker }: Company, token: string, query = '', headers: Record<string, string> = {}) => {
    const stream = await openEventStream(`${world.url}${worker}/logs/stream${query}`, token, headers);
    onTestFinished(stream.cut);
    return stream;
  };
  const seen = ({ events }: EventReader) =>
    events
      .filter(({ event }) => event === 'message')
      .map(({ data }) => z.object({ message: z.string() }).parse(data).message);
  const lastId = ({ events }: EventReader) => events.findLast(({ id }) => id !== undefined)?.id ?? '';

  test('the newest lines come first asked for; with `next` one reads on, with `since` from a time', async () => {
    const { company, write } = await aTalker();
    expect(await read(company)).toEqual({ items: [], next: '0', dropped: 0 });
    await write('one', 'two', 'three');
    const newest = await read(company, '?limit=2');
    expect(newest.items).toMatchObject([{ message: 'two', revision: 1 }, { message: 'three' }]);
    await write('four');
    const on = await read(company, `?after=${newest.next}`);
    expect(on.items).toMatchObject([{ message: 'four' }]);
    expect((await read(company, `?since=${new Date(Date.now() + 60_000).toISOString()}`)).items).toEqual([]);
    expect((await read(company, '?since=2020-01-01T00:00:00Z&limit=1')).items).toMatchObject([{ message: 'one' }]);
  });

  test('a stream begins now, and one that comes back with Last-Event-ID misses nothing and repeats nothing', async () => {
    const { company, write } = await aTalker();
    await write('before');
    const first = await follow(company, company.token);
    expect(first.response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    await expect.poll(() => first.events).toMatchObject([{ event: 'open' }]);
    // Cut off before a single line came, it knows its place all the same.
    first.cut();
    await write('a', 'b', 'c');
    const second = await follow(company, company.token, '', { 'Last-Event-ID': lastId(first) });
    await expect.poll(() => seen(second)).toEqual(['a', 'b', 'c']);
    second.cut();
    await write('d');
    const third = await follow(company, company.token, '', { 'Last-Event-ID': lastId(second) });
    await write('e');
    await expect.poll(() => seen(third)).toEqual(['d', 'e']);
    expect(third.text()).toMatch(/^retry: \d+\n\n/);
  });

  test('a place that is none is refused', async () => {
    const { company } = await aTalker();
    for (const path of ['/logs?after=x', '/logs/stream?after=x', '/logs?limit=0', '/logs?since=yesterday']) {
      const answered = await world.ask('GET', `${company.worker}${path}`, { token: company.token });
      expect(problemOf(answered)).toMatchObject({ status: 400, title: 'RequestInvalid' });
    }
  });

  test('they are for who may see the department, and nobody else learns that there are any', async () => {
    const { company, write } = await aTalker();
    await write('ours');
    const stranger = await aCompany(world, (await aMember(world, await aCompany(world), { role: 'OWNER' })).token);
    const viewer = await aMember(world, company, { role: 'VIEWER' });
    expect((await read({ ...company, token: viewer.token })).items).toMatchObject([{ message: 'ours' }]);
    const made = await world.ask('POST', `${company.base}/departments`, {
      ...{ token: company.token, body: { name: 'Other', slug: 'other' } },
    });
    const other = z.object({ id: z.string() }).parse(made.body).id;
    const elsewhere = await aMember(world, company, { role: 'ADMIN', departmentIds: [other] });
    for (const path of ['/logs', '/logs/stream']) {
      const asked = (token: string) => world.ask('GET', `${company.worker}${path}`, { token });
      expect(problemOf(await asked(stranger.token)).title).toBe('WorkspaceNotFound');
      expect(problemOf(await asked(elsewhere.token)).title).toBe('DepartmentNotFound');
      expect(problemOf(await world.ask('GET', `${company.worker}${path}`)).title).toBe('AuthenticationRequired');
    }
  });

  test('a stream ends when its reader may not read any more', async () => {
    const { company, write } = await aTalker();
    const viewer = await aMember(world, company, { role: 'VIEWER' });
    const stream = await follow(company, viewer.token);
    await expect.poll(() => stream.events).toHaveLength(1);
    const removed = await world.ask('DELETE', `${company.base}/members/${viewer.userId}`, { token: company.token });
    expect(removed.status).toBeLessThan(300);
    world.travel(16_000);
    onTestFinished(() => world.travel(0));
    await stream.ended;
    expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'forbidden' } });
    await write('after');
    expect(seen(stream)).toEqual([]);
  });

  test('a quiet stream shows that it lives', async () => {
    const { company } = await aTalker();
    const stream = await follow(company, company.token);
    await expect.poll(() => stream.events).toHaveLength(1);
    world.travel(16_000);
    onTestFinished(() => world.travel(0));
    await expect.poll(() => stream.text()).toMatch(/\n\n:\n\n/);
  });

  test('one caller has so many streams and no more, and gets one back when it closes one', async () => {
    const { company } = await aTalker();
    const narrow = await world.behind({ limits: { streams: { total: 10, perWorkspace: 10, perCaller: 2 } } });
    onTestFinished(() => narrow.stop());
    const open = async (token = company.token) => {
      const stream = await openEventStream(`${narrow.url}${company.worker}/logs/stream`, token);
      onTestFinished(stream.cut);
      return stream;
    };
    const first = await open();
    expect([(await open()).status, (await open()).status]).toEqual([200, 429]);
    const viewer = await aMember(world, company, { role: 'VIEWER' });
    expect((await open(viewer.token)).status).toBe(200);
    first.cut();
    await expect.poll(async () => (await open()).status).toBe(200);
  });

  test('one workspace, whatever number of tokens it makes, leaves streams to the others', async () => {
    const [{ company }, { company: other }] = [await aTalker(), await aTalker()];
    const narrow = await world.behind({ limits: { streams: { total: 4, perWorkspace: 2, perCaller: 2 } } });
    onTestFinished(() => narrow.stop());
    const open = async ({ worker }: Company, token: string) => {
      const stream = await openEventStream(`${narrow.url}${worker}/logs/stream`, token);
      onTestFinished(stream.cut);
      return stream.status;
    };
    const tokenOf = async (name: string): Promise<string> => {
      const body = { name, role: 'VIEWER' };
      const issued = await world.ask('POST', `${company.base}/api-tokens`, { token: company.token, body });
      return issuedApiToken.parse(issued.body).token;
    };
    const statuses = [];
    for (const name of ['a', 'b', 'c']) statuses.push(await open(company, await tokenOf(name)));
    expect(statuses).toEqual([200, 200, 429]);
    expect(await open(other, other.token)).toBe(200);
  });

  test('a client that takes nothing costs no memory, and is told what it has missed', async () => {
    const { company, write } = await aTalker();
    await write('begin');
    const { next } = await read(company);
    const slow = await follow(company, company.token, `?after=${next}`);
    slow.response.pause();
    // More than is kept, and more than the sockets between here and there hold.
    const filler = 'x'.repeat(8_000);
    for (let round = 0; round < 100; round += 1) {
      await write(...Array.from({ length: 10 }, (_, n) => `${round * 10 + n} ${filler}`));
    }
    slow.response.resume();
    await expect.poll(() => seen(slow).at(-1)?.startsWith('999 '), { timeout: 10_000 }).toBe(true);
    const missed = slow.events.flatMap(({ event, data }) =>
      event === 'dropped' ? [z.object({ lines: z.number() }).parse(data).lines] : [],
    );
    expect(missed.length).toBeGreaterThan(0);
    expect(missed.reduce((sum, lines) => sum + lines, 0) + seen(slow).length).toBe(1_000);
  });

  test('a program that ends ends its streams first', async () => {
    const { company } = await aTalker();
    const ending = new AbortController();
    const other = await world.behind({ streamsEnding: ending.signal });
    onTestFinished(() => other.stop());
    const stream = await openEventStream(`${other.url}${company.worker}/logs/stream`, company.token);
    await expect.poll(() => stream.events).toHaveLength(1);
    ending.abort();
    await stream.ended;
    expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'closing' } });
    const late = await other.ask('GET', `${company.worker}/logs/stream`, { token: company.token });
    expect(late.status).toBe(200);
  });

  describe('Where none are kept', () => {
    test('both answer that they cannot be had', async () => {
      const { company } = await aTalker();
      const without = await world.behind({ withoutLogs: true });
      onTestFinished(() => without.stop());
      for (const path of ['/logs', '/logs/stream']) {
        const answered = await without.ask('GET', `${company.worker}${path}`, { token: company.token });
        expect(problemOf(answered)).toMatchObject({ status: 409, title: 'LogsUnavailable' });
      }
    });
  });

  test('whoever asks for the head of a stream gets no stream', async () => {
    const { company } = await aTalker();
    const head = await world.ask('HEAD', `${company.worker}/logs/stream`, { token: company.token });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toBe('text/event-stream');
  });
};
