import { createServer } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { configureServer } from '../../src/api/server.ts';
import { ArtifactStoreUnavailable } from '../../src/platform/artifacts/errors.ts';
import { EventLogUnavailable } from '../../src/platform/eventLog/errors.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import { type ApiWorld, aCompany, type Company, helloWorker, problemOf } from '../support/api.ts';

export const faultSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  let company: Company;
  beforeAll(async () => {
    world = await shared();
    company = await aCompany(world);
  });

  const unavailable = () => new EventLogUnavailable('The log is away.');

  /** A log whose append fails once, before or after it took effect. */
  const losing = (when: 'before' | 'after', stream: string) => {
    let lost = false;
    return (log: EventLog): EventLog => ({
      ...log,
      append: async (name, ...rest) => {
        if (lost || !name.startsWith(stream)) return log.append(name, ...rest);
        lost = true;
        if (when === 'after') await log.append(name, ...rest);
        throw unavailable();
      },
    });
  };

  describe('A log that is away', () => {
    test('is told as such, with the time to wait', async () => {
      const away = await world.behind({
        aroundLog: (log) => ({
          ...log,
          // biome-ignore lint/correctness/useYield: it fails before there is anything to yield
          readStream: async function* () {
            throw unavailable();
          },
        }),
      });
      const answered = await away.ask('GET', '/auth/me', { token: company.token });
      expect(problemOf(answered)).toMatchObject({ title: 'LogUnavailable', status: 503 });
      expect(Number(answered.headers.get('retry-after'))).toBeGreaterThan(0);
      await away.stop();
    });

    test.each([
      ['before', 'reservation-'],
      ['after', 'reservation-'],
      ['before', 'department-'],
      ['after', 'department-'],
    ] as const)(
      '%s an append to %s took effect: the retry with the same key gets the one answer',
      async (when, stream) => {
        const slug = `lost-${when}-${stream.slice(0, 4)}`;
        const flaky = await world.behind({ aroundLog: losing(when, stream) });
        const ask = () =>
          flaky.ask('POST', `${company.base}/departments`, {
            token: company.token,
            body: { name: slug, slug },
            headers: { 'idempotency-key': slug },
          });
        const before = (await world.holdings()).events;
        expect(problemOf(await ask()).title).toBe('LogUnavailable');
        const retried = await ask();
        expect(retried.status).toBe(201);
        expect((await ask()).body).toEqual(retried.body);
        expect((await world.holdings()).events).toBe(before + 2);
        await flaky.stop();
      },
    );
  });

  test('Read tables that are away are told as such, and commands go on', async () => {
    const away = await world.behind({
      aroundQueries: (queries) => ({
        ...queries,
        departments: () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
      }),
    });
    const { token, base } = company;
    const list = await away.ask('GET', `${base}/departments`, { token });
    expect(problemOf(list)).toMatchObject({ title: 'ReadTablesUnavailable', status: 503 });
    const created = await away.ask('POST', `${base}/departments`, { token, body: { name: 'Y', slug: 'y-away' } });
    expect(created.status).toBe(201);
    await away.stop();
  });

  test('An artifact store that is away is told as such, logged with its reason, and the retry submits', async () => {
    let isAway = true;
    const reason = 'The artifact store store.example has no bucket artifacts.';
    const away = await world.behind({
      aroundArtifacts: (artifacts) => ({
        ...artifacts,
        put: (bytes) =>
          isAway ? Promise.reject(new ArtifactStoreUnavailable('bucketMissing', reason)) : artifacts.put(bytes),
      }),
    });
    const ask = () =>
      away.ask('POST', `${company.worker}/revisions`, {
        token: company.token,
        body: helloWorker('store away'),
        headers: { 'idempotency-key': 'store-away' },
      });
    const refused = await ask();
    expect(problemOf(refused)).toMatchObject({ title: 'ArtifactStoreUnavailable', status: 503 });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(JSON.stringify(refused.body)).not.toContain('store.example');
    expect(world.logged.join()).toContain(reason);
    isAway = false;
    expect((await ask()).status).toBe(201);
    await away.stop();
  });

  test('A disk that is full refuses a submission as such, and the retry submits once there is room', async () => {
    let isFull = true;
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const away = await world.behind({
      aroundArtifacts: (artifacts) => ({
        ...artifacts,
        put: (bytes) => (isFull ? Promise.reject(full) : artifacts.put(bytes)),
      }),
    });
    const ask = () =>
      away.ask('POST', `${company.worker}/revisions`, {
        token: company.token,
        body: helloWorker('disk full'),
        headers: { 'idempotency-key': 'disk-full' },
      });
    const refused = await ask();
    expect(problemOf(refused)).toMatchObject({ title: 'StorageFull', status: 503, code: 'storage_full' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    isFull = false;
    expect((await ask()).status).toBe(201);
    await away.stop();
  });

  test('A defect is answered without a word of what it was, and logged without a secret', async () => {
    const broken = await world.behind({
      aroundLog: (log) => ({
        ...log,
        append: () => Promise.reject(new Error(`broken at ${company.token}`)),
      }),
    });
    const answered = await broken.ask('POST', `${company.base}/departments`, {
      token: company.token,
      body: { name: 'x', slug: 'x-broken' },
    });
    expect(problemOf(answered)).toMatchObject({ title: 'InternalFault', status: 500 });
    expect(answered.text).not.toContain('broken at');
    const { requestId } = problemOf(answered);
    const line = broken.logged.find((each) => each.includes(requestId) && each.includes('A request failed'));
    expect(line).toContain('broken at');
    expect(line).not.toContain(company.token);
    await broken.stop();
  });

  test('A caller who is too slow with his request is told so and cut off', async () => {
    const server = createServer({ connectionsCheckingInterval: 20 }, (_request, response) => response.end());
    configureServer(server);
    server.headersTimeout = 50;
    server.requestTimeout = 60;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n'));
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      socket.on('close', () => resolve(text));
    });
    expect(answer).toContain('HTTP/1.1 408');
    expect(answer).toContain('"title":"RequestTimedOut"');
    await new Promise((resolve) => server.close(resolve));
  });
};
