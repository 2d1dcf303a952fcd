import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { feedEvent } from '../../src/api/feed.ts';
import { decode } from '../../src/commands/envelope.ts';
import { isForTenants } from '../../src/domain/publicEvent.ts';
import { type ApiWorld, aCompany, aLiveWorker, aMember, type Company, problemOf } from '../support/api.ts';
import { type EventReader, openEventStream } from '../support/eventStream.ts';

const page = z.object({ items: z.array(feedEvent), next: z.string(), more: z.boolean() });

export const feedSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  beforeAll(async () => {
    world = await shared();
  });

  const read = async ({ base }: Pick<Company, 'base'>, token: string, query = '') => {
    const answered = await world.ask('GET', `${base}/events?waitFor=${await world.log.head()}${query}`, { token });
    return page.parse(answered.body);
  };
  const follow = async (
    { base }: Company,
    token: string,
    { query = '', lastId, at = world }: { query?: string; lastId?: string | undefined; at?: ApiWorld } = {},
  ): Promise<EventReader> => {
    const headers = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
    const stream = await openEventStream(`${at.url}${base}/events/stream${query}`, token, headers);
    onTestFinished(stream.cut);
    return stream;
  };
  const messages = ({ events }: EventReader) => events.filter(({ event }) => event === 'message');
  const shown = (stream: EventReader) => messages(stream).map(({ data }) => feedEvent.parse(data));
  const lastId = ({ events }: EventReader) => events.findLast(({ id }) => id !== undefined)?.id;
  const department = (company: Company, slug: string) =>
    world.ask('POST', `${company.base}/departments`, { token: company.token, body: { name: slug, slug } });

  /** What the log says that a workspace is told of. */
  const inLog = async ({ workspaceId }: Company): Promise<readonly string[]> => {
    const positions: string[] = [];
    for await (const stored of world.log.readAll()) {
      const event = decode(stored);
      if (event?.meta.workspaceId === workspaceId && isForTenants(event.type, event.meta)) {
        positions.push(String(stored.position));
      }
    }
    return positions;
  };

  test('the pages of a workspace hold what the log has for it, once and in order', async () => {
    const company = await aCompany(world);
    await aLiveWorker(world, company);
    const found: z.infer<typeof feedEvent>[] = [];
    let after = '0';
    for (let more = true; more; ) {
      const answered = await read(company, company.token, `&limit=3&after=${after}`);
      expect(answered.items.length).toBeLessThanOrEqual(3);
      found.push(...answered.items);
      ({ next: after, more } = answered);
    }
    expect(found.map(({ position }) => position)).toEqual(await inLog(company));
    expect(found[0]).toMatchObject({
      ...{ type: 'opslog.workspace.WorkspaceCreated', subject: company.workspaceId, workspaceid: company.workspaceId },
      ...{ actortype: 'user', actorid: world.administrator.userId, revision: 0 },
    });
    expect((await read(company, company.token, `&after=${after}`)).items).toEqual([]);
  });

  test('nothing of it tells where a caller called from, while the audit trail does', async () => {
    const company = await aCompany(world);
    expect(JSON.stringify(await read(company, company.token))).not.toContain('127.0.0.1');
    const audit = await world.ask('GET', `${company.base}/audit?limit=1`, { token: company.token });
    expect(audit.body).toMatchObject({ items: [{ ip: '127.0.0.1' }] });
  });

  test('filters by type, by kind of resource and by resource', async () => {
    const company = await aCompany(world);
    const { workerId } = await aLiveWorker(world, company);
    const types = async (query: string) =>
      (await read(company, company.token, `&limit=500${query}`)).items.map(({ type }) => type);
    expect(await types('&type=DepartmentCreated')).toEqual(['opslog.department.DepartmentCreated']);
    expect(await types('&type=opslog.department.DepartmentCreated')).toHaveLength(1);
    expect(await types(`&resourceType=department&resourceId=${company.departmentId}`)).toHaveLength(1);
    const ofWorker = await types(`&resourceId=${workerId}`);
    expect(ofWorker.length).toBeGreaterThan(2);
    expect(ofWorker.every((type) => type.startsWith('opslog.edgeWorker.'))).toBe(true);
    expect(await types('&type=NothingLikeIt')).toEqual([]);
  });

  test('a limited member sees his departments alone, and a viewer nothing of API tokens', async () => {
    const company = await aCompany(world);
    const made = await department(company, 'other');
    const other = z.object({ id: z.string() }).parse(made.body).id;
    const issue = { token: company.token, body: { name: 'CI', role: 'VIEWER' } };
    expect((await world.ask('POST', `${company.base}/api-tokens`, issue)).status).toBe(201);
    const limited = await aMember(world, company, { role: 'ADMIN', departmentIds: [other] });
    const viewer = await aMember(world, company, { role: 'VIEWER' });
    const seen = await read(company, limited.token);
    expect(seen.items.map(({ departmentid }) => departmentid)).toEqual([other]);
    const types = async (token: string) => (await read(company, token)).items.map(({ type }) => type);
    expect(await types(viewer.token)).not.toContain('opslog.apiToken.ApiTokenIssued');
    expect(await types(company.token)).toContain('opslog.apiToken.ApiTokenIssued');
    const stream = await follow(company, limited.token, { query: '?after=0' });
    await expect.poll(() => shown(stream)).toHaveLength(1);
    await department(company, 'third');
    await aLiveWorker(world, { ...company, worker: `${company.base}/departments/${other}/worker` });
    await expect.poll(() => shown(stream).length).toBeGreaterThan(1);
    expect(new Set(shown(stream).map(({ departmentid }) => departmentid))).toEqual(new Set([other]));
  });

  test('a stream begins now, and one that comes back with Last-Event-ID misses nothing and repeats nothing', async () => {
    const company = await aCompany(world);
    await read(company, company.token);
    const first = await follow(company, company.token);
    await expect.poll(() => first.events).toMatchObject([{ event: 'open' }]);
    first.cut();
    await department(company, 'a');
    await department(company, 'b');
    const second = await follow(company, company.token, { lastId: lastId(first) });
    const slugs = (stream: EventReader) =>
      shown(stream).map(({ data }) => z.object({ slug: z.string() }).parse(data).slug);
    await expect.poll(() => slugs(second)).toEqual(['a', 'b']);
    second.cut();
    await department(company, 'c');
    const third = await follow(company, company.token, { lastId: lastId(second) });
    await department(company, 'd');
    await expect.poll(() => slugs(third)).toEqual(['c', 'd']);
    expect(messages(third).map(({ id }) => id)).toEqual(shown(third).map(({ position }) => position));
  });

  test('a reader who is cut off at random, at either of two servers, gets what the log has, once and in order', async () => {
    const company = await aCompany(world);
    const second = await world.behind({});
    onTestFinished(() => second.stop());
    let isWriting = true;
    const write = async (): Promise<void> => {
      for (let n = 0; n < 40; n += 1) await department(company, `d${n}`);
      isWriting = false;
    };
    const writing = write();
    const got: string[] = [];
    let place = '0';
    let round = 0;
    const expected = async () => (isWriting ? ['more to come'] : await inLog(company));
    while (got.length < (await expected()).length || isWriting) {
      const stream = await follow(company, company.token, { lastId: place, at: round % 2 === 0 ? world : second });
      const enough = 1 + ((round * 7) % 5);
      await expect
        .poll(() => messages(stream).length >= enough || (!isWriting && messages(stream).length > 0), {
          timeout: 5_000,
        })
        .toBe(true);
      stream.cut();
      await stream.ended;
      got.push(...messages(stream).map(({ id }) => id ?? ''));
      place = lastId(stream) ?? place;
      round += 1;
    }
    await writing;
    expect(round).toBeGreaterThan(5);
    expect(got).toEqual(await inLog(company));
  });

  test('a place that this log never gave out is refused, and so is what is no place', async () => {
    const { base, token } = await aCompany(world);
    for (const path of ['/events?after=x', '/events/stream?after=-1', '/events?limit=0', '/events/stream?type=a%20b']) {
      expect(problemOf(await world.ask('GET', `${base}${path}`, { token }))).toMatchObject({ title: 'RequestInvalid' });
    }
    const far = '999999999999999';
    const refused = [
      await world.ask('GET', `${base}/events?after=${far}`, { token }),
      await world.ask('GET', `${base}/events/stream`, { token, headers: { 'Last-Event-ID': far } }),
      await world.ask('GET', `${base}/events/stream`, { token, headers: { 'Last-Event-ID': 'of-elsewhere' } }),
    ].map(problemOf);
    expect(refused).toMatchObject([
      { status: 400, field: 'after', detail: expect.stringContaining('restored') },
      { status: 400, field: 'after' },
      { status: 400, field: 'Last-Event-ID' },
    ]);
  });

  describe('A stream ends', () => {
    test('when its reader has left', async () => {
      const company = await aCompany(world);
      const viewer = await aMember(world, company, { role: 'VIEWER' });
      const stream = await follow(company, viewer.token);
      await expect.poll(() => stream.events).toHaveLength(1);
      await world.ask('DELETE', `${company.base}/members/${viewer.userId}`, { token: company.token });
      world.travel(2_000);
      onTestFinished(() => world.travel(0));
      await department(company, 'secretly');
      await stream.ended;
      expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'forbidden' } });
      expect(stream.text()).not.toContain('secretly');
    });

    test('when its reader is limited to less than before', async () => {
      const company = await aCompany(world);
      const admin = await aMember(world, company, { role: 'ADMIN' });
      const stream = await follow(company, admin.token);
      await expect.poll(() => stream.events).toHaveLength(1);
      const path = `${company.base}/members/${admin.userId}`;
      const body = { role: 'ADMIN', departmentIds: [company.departmentId] };
      expect((await world.ask('PATCH', path, { token: company.token, body })).status).toBe(200);
      world.travel(2_000);
      onTestFinished(() => world.travel(0));
      await department(company, 'elsewhere');
      await stream.ended;
      expect(stream.text()).not.toContain('elsewhere');
    });

    test('politely, when the program does', async () => {
      const company = await aCompany(world);
      const ending = new AbortController();
      const other = await world.behind({ streamsEnding: ending.signal });
      onTestFinished(() => other.stop());
      const stream = await follow(company, company.token, { at: other });
      await expect.poll(() => stream.events).toHaveLength(1);
      ending.abort();
      await stream.ended;
      expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'closing' } });
      const late = await other.ask('GET', `${company.base}/events/stream`, { token: company.token });
      expect(late.status).toBe(200);
    });
  });

  test('a caller has so many streams and no more, and gets one back when he closes one', async () => {
    const company = await aCompany(world);
    const narrow = await world.behind({ limits: { streams: { total: 10, perWorkspace: 10, perCaller: 2 } } });
    onTestFinished(() => narrow.stop());
    const open = () => follow(company, company.token, { at: narrow });
    const first = await open();
    expect([(await open()).status, (await open()).status]).toEqual([200, 429]);
    first.cut();
    await expect.poll(async () => (await open()).status).toBe(200);
  });

  test('whoever asks for the head of a stream gets no stream', async () => {
    const { base, token } = await aCompany(world);
    const head = await world.ask('HEAD', `${base}/events/stream`, { token });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toBe('text/event-stream');
  });
};
