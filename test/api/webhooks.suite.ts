import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { systemEnvelope } from '../../src/sagas/envelope.ts';
import { type Answered, type ApiWorld, type Ask, aCompany, aMember, type Company, problemOf } from '../support/api.ts';

const created = z.object({ id: z.string(), secret: z.string().nullable() });
const url = 'https://hooks.example/in';

export const webhookSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  let company: Company;
  beforeAll(async () => {
    world = await shared();
    company = await aCompany(world);
  });

  const ask = (method: string, path: string, more: Ask = {}) =>
    world.ask(method, `${company.base}/webhooks${path}`, { token: company.token, ...more });
  /** Reads with everything that was written before. */
  const read = async (path: string, more: Ask = {}) => {
    const mark = path.includes('?') ? '&' : '?';
    return ask('GET', `${path}${mark}waitFor=${await world.log.head()}`, more);
  };
  const create = async (body: object = {}, more: Ask = {}) => {
    const answered = await ask('POST', '', { body: { url, eventTypes: ['*'], ...body }, ...more });
    expect(answered.status).toBe(201);
    return created.parse(answered.body);
  };
  const refusal = (answered: Answered) => {
    const { title, status, field } = problemOf(answered);
    return { title, status, field };
  };

  describe('A webhook', () => {
    test('is created with a secret that is shown then and never again', async () => {
      const { id, secret } = await create({
        description: 'Orders',
        eventTypes: ['edgeWorker.*', 'department.DepartmentCreated'],
      });
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      const shown = await read(`/${id}`);
      expect(shown.body).toMatchObject({
        ...{ id, url, description: 'Orders', status: 'active', departmentIds: [], secretVersion: 1 },
        ...{ eventTypes: ['department.DepartmentCreated', 'edgeWorker.*'], failingSince: null, inactiveSince: null },
      });
      const listed = await read('');
      for (const answered of [shown, listed]) expect(answered.text).not.toContain(secret ?? 'no secret');
      expect(listed.text).toContain(id);
    });

    test('is the same one when the request comes again, with its secret, until that is replaced', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const first = await create({}, { headers });
      expect(await create({}, { headers })).toEqual(first);
      await ask('POST', `/${first.id}/rotate-secret`, { body: { overlapHours: 0 } });
      // Its key goes when the job that destroys it runs.
      expect((await create({}, { headers })).id).toBe(first.id);
      const other = await ask('POST', '', { headers, body: { url, eventTypes: ['job.*'] } });
      expect(refusal(other)).toMatchObject({ title: 'IdempotencyKeyReused' });
    });

    test('that is only rehearsed leaves nothing and shows no secret', async () => {
      const before = await world.holdings();
      const rehearsed = await ask('POST', '', {
        body: { url, eventTypes: ['*'] },
        headers: { prefer: 'dry-run' },
      });
      expect(rehearsed.status).toBe(200);
      expect(rehearsed.text).not.toContain('whsec_');
      expect(await world.holdings()).toEqual(before);
    });

    test('is changed in part, paused and resumed', async () => {
      const { id } = await create();
      const revised = await ask('PATCH', `/${id}`, { body: { eventTypes: ['job.JobDied'] } });
      expect(revised.body).toMatchObject({ id, url, eventTypes: ['job.JobDied'], status: 'active' });
      expect((await ask('POST', `/${id}/pause`)).body).toEqual({ id, status: 'paused' });
      expect((await read(`/${id}`)).body).toMatchObject({ status: 'paused', inactiveSince: expect.any(String) });
      expect((await ask('POST', `/${id}/resume`)).body).toEqual({ id, status: 'active' });
      expect((await read(`/${id}`)).body).toMatchObject({ status: 'active', inactiveSince: null });
    });

    test('gets another secret, and says until when the old one signs, too', async () => {
      const { id, secret } = await create();
      const headers = { 'idempotency-key': randomUUID() };
      const rotated = await ask('POST', `/${id}/rotate-secret`, { headers });
      expect(rotated.status).toBe(200);
      expect(rotated.body).toMatchObject({ id, secret: expect.stringMatching(/^whsec_/) });
      expect(rotated.text).not.toContain(secret ?? 'no secret');
      expect((await ask('POST', `/${id}/rotate-secret`, { headers })).body).toEqual(rotated.body);
      expect((await read(`/${id}`)).body).toMatchObject({
        secretVersion: 2,
        previousSecretValidUntil: expect.any(String),
      });
    });

    test('is gone once it was removed, and leaves its place', async () => {
      const { id } = await create();
      expect((await ask('DELETE', `/${id}`)).status).toBe(204);
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['DELETE', '', undefined],
        ['PATCH', '', { description: 'x' }],
        ['POST', '/pause', undefined],
        ['POST', '/test', undefined],
        ['GET', '/deliveries', undefined],
      ] as const) {
        const answered = method === 'GET' ? await read(`/${id}${path}`) : await ask(method, `/${id}${path}`, { body });
        expect(refusal(answered)).toMatchObject({ status: 404, title: 'WebhookNotFound' });
      }
      expect((await read('')).text).not.toContain(id);
    });
  });

  describe('What is given', () => {
    test.each([
      ...[
        'http://hooks.example/in',
        'https://127.0.0.1/in',
        'https://2130706433/',
        'https://[::ffff:169.254.169.254]/',
      ],
      ...['https://user:pass@hooks.example/', 'https://hooks.example:22/', 'ftp://hooks.example/', 'no url'],
      ...['https://hooks.example/?token=opt_0123456789abcdef0123'],
    ])('as a URL is refused when nothing would ever be sent there: %s', async (bad) => {
      const before = await world.holdings();
      const answered = await ask('POST', '', { body: { url: bad, eventTypes: ['*'] } });
      expect(refusal(answered)).toEqual({ status: 422, title: 'WebhookUrlRefused', field: 'url' });
      expect(await world.holdings()).toEqual(before);
    });

    test.each([
      [[]],
      [['nothing.*']],
      [['edgeWorker.Nothing']],
      [['webhook.*']],
      [['edgeWorker']],
      [['**']],
      [['__proto__.*']],
    ])('as a filter is refused when it means no event: %j', async (eventTypes) => {
      const answered = await ask('POST', '', { body: { url, eventTypes } });
      expect(refusal(answered)).toMatchObject({ status: 400, title: 'RequestInvalid' });
    });

    test('as a department must be one of the workspace', async () => {
      const other = await aCompany(world);
      for (const id of [randomUUID(), other.departmentId]) {
        const answered = await ask('POST', '', { body: { url, eventTypes: ['*'], departmentIds: [id] } });
        expect(refusal(answered)).toMatchObject({ status: 404, title: 'DepartmentNotFound', field: 'departmentIds' });
      }
    });

    test('as a URL is checked at a change, too', async () => {
      const { id } = await create();
      const answered = await ask('PATCH', `/${id}`, { body: { url: 'https://10.0.0.1/' } });
      expect(refusal(answered)).toMatchObject({ title: 'WebhookUrlRefused' });
    });
  });

  test('A workspace has twenty at most, also when all are asked for at once, and another one after one was removed', async () => {
    const own = await aCompany(world);
    const one = () => world.ask('POST', `${own.base}/webhooks`, { token: own.token, body: { url, eventTypes: ['*'] } });
    const all = await Promise.all(Array.from({ length: 26 }, one));
    const made = all.filter(({ status }) => status === 201);
    expect(made).toHaveLength(20);
    const refused = all.find(({ status }) => status !== 201);
    expect(refused && problemOf(refused)).toMatchObject({
      status: 409,
      title: 'WebhookLimitReached',
      details: { limit: 20 },
    });
    const [first] = made;
    const { id } = created.parse(first?.body);
    expect((await world.ask('DELETE', `${own.base}/webhooks/${id}`, own)).status).toBe(204);
    expect((await one()).status).toBe(201);
    expect((await one()).status).toBe(409);
  });

  test('Who is limited to departments makes and sees webhooks of those alone', async () => {
    const own = await aCompany(world);
    const limited = await aMember(world, own, { role: 'ADMIN', departmentIds: [own.departmentId] });
    const make = (token: string, departmentIds: readonly string[]) =>
      world.ask('POST', `${own.base}/webhooks`, { token, body: { url, eventTypes: ['*'], departmentIds } });
    const whole = created.parse((await make(own.token, [])).body);
    expect(problemOf(await make(limited.token, []))).toMatchObject({ status: 403, title: 'RoleInsufficient' });
    const theirs = created.parse((await make(limited.token, [own.departmentId])).body);
    const position = await world.log.head();
    const listed = await world.ask('GET', `${own.base}/webhooks?waitFor=${position}`, limited);
    expect(listed.text).toContain(theirs.id);
    expect(listed.text).not.toContain(whole.id);
    for (const path of ['', '/deliveries']) {
      const hidden = await world.ask('GET', `${own.base}/webhooks/${whole.id}${path}`, limited);
      expect(problemOf(hidden)).toMatchObject({ status: 404, title: 'WebhookNotFound' });
    }
    const widened = await world.ask('PATCH', `${own.base}/webhooks/${theirs.id}`, {
      ...limited,
      body: { departmentIds: [] },
    });
    expect(problemOf(widened)).toMatchObject({ title: 'RoleInsufficient' });
  });

  test('It takes an ADMIN, even to look', async () => {
    const member = await aMember(world, company, { role: 'MEMBER' });
    expect(problemOf(await ask('GET', '', member))).toMatchObject({ status: 403, title: 'RoleInsufficient' });
  });

  describe('Deliveries', () => {
    const tested = async (id: string, headers = {}) => {
      const answered = await ask('POST', `/${id}/test`, { headers });
      expect(answered.status).toBe(202);
      return String(Object(answered.body).deliveryId);
    };

    /** As its runner would report it. */
    const attempt = async (jobId: string, outcome: 'done' | 'retry', detail: string) => {
      const context = {
        workspaceId: company.workspaceId,
        departmentId: '',
        requestId: '',
        correlationId: '',
        causationId: '',
      };
      const leaseId = randomUUID();
      const now = Date.now();
      const lease = { leaseId, holder: 'test', now, leasedUntil: now + 60_000, takeover: false };
      const send = (command: Parameters<typeof world.aggregates.job.send>[1]) =>
        world.aggregates.job.send(jobId, command, systemEnvelope('runner', context, command.type, leaseId));
      expect(await send({ type: 'LeaseJob', data: lease })).toMatchObject({ ok: true });
      const told =
        outcome === 'done' ? { outcome, detail, result: {} } : { outcome, detail, nextAttemptAt: now + 1_000 };
      const data = { leaseId, startedAt: now, durationMs: 40, outcome: told };
      expect(await send({ type: 'ReportJob', data })).toMatchObject({ ok: true });
    };

    test('are listed with what was answered, and shown with every attempt', async () => {
      const { id } = await create();
      const deliveryId = await tested(id);
      expect((await read(`/${id}/deliveries`)).body).toMatchObject({
        items: [{ id: deliveryId, eventType: 'webhook.test', test: true, status: 'PENDING', responseStatus: null }],
      });
      await attempt(deliveryId, 'retry', 'HTTP 503 in 40 ms: busy');
      expect((await read(`/${id}/deliveries?status=DEAD`)).body).toMatchObject({
        items: [
          {
            id: deliveryId,
            status: 'DEAD',
            responseStatus: 503,
            latencyMs: 40,
            error: expect.stringContaining('busy'),
          },
        ],
      });
      expect((await read(`/${id}/deliveries?status=SUCCEEDED`)).body).toMatchObject({ items: [] });
      expect((await read(`/${id}/deliveries/${deliveryId}`)).body).toMatchObject({
        history: [
          { attempt: 1, outcome: 'retry', responseStatus: 503, durationMs: 40, detail: 'HTTP 503 in 40 ms: busy' },
        ],
      });
    });

    test('that are dead are begun again, one or all of them, and no others', async () => {
      const { id } = await create();
      const [one, two, three] = [await tested(id), await tested(id), await tested(id)];
      for (const each of [one, two]) await attempt(each, 'retry', 'HTTP 500 in 1 ms');
      await attempt(three, 'done', 'HTTP 204 in 1 ms');
      expect((await ask('POST', `/${id}/deliveries/${one}/redrive`)).body).toEqual({ jobId: one, redrives: 1 });
      expect(refusal(await ask('POST', `/${id}/deliveries/${three}/redrive`))).toMatchObject({ title: 'JobNotDead' });
      await read(`/${id}`);
      expect((await ask('POST', `/${id}/redrive`)).body).toEqual({ redriven: 1, more: false });
      await read(`/${id}`);
      expect((await ask('POST', `/${id}/redrive`)).body).toEqual({ redriven: 0, more: false });
    });

    test('are cancelled by an ADMIN alone, although any MEMBER cancels other jobs', async () => {
      const { id } = await create();
      const path = `${company.base}/jobs/${await tested(id)}/cancel`;
      const member = await aMember(world, company, { role: 'MEMBER' });
      const refused = await world.ask('POST', path, { token: member.token });
      // He does not see it, so it answers like none.
      expect(problemOf(refused)).toMatchObject({ status: 404, title: 'JobNotFound' });
      const cancelled = await world.ask('POST', path, { token: company.token });
      expect(cancelled).toMatchObject({ status: 202, body: { cancelled: true } });
    });

    test('of another webhook, or other jobs, answer like none', async () => {
      const { id } = await create();
      const other = await create();
      const deliveryId = await tested(other.id);
      for (const unknown of [deliveryId, randomUUID(), 'nothing']) {
        expect(refusal(await read(`/${id}/deliveries/${unknown}`))).toMatchObject({ title: 'WebhookDeliveryNotFound' });
        const redriven = await ask('POST', `/${id}/deliveries/${unknown}/redrive`);
        expect(refusal(redriven)).toMatchObject({ status: 404, title: 'WebhookDeliveryNotFound' });
      }
    });

    test('of a test are one per key, and of a replay, too', async () => {
      const { id } = await create();
      const headers = { 'idempotency-key': randomUUID() };
      expect(await tested(id, headers)).toBe(await tested(id, headers));
      const body = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00+01:00' };
      const replay = () => ask('POST', `/${id}/replay`, { body, headers: { 'idempotency-key': 'replay-1' } });
      const first = await replay();
      expect(first.status).toBe(202);
      expect((await replay()).body).toEqual(first.body);
    });

    test.each([
      ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'],
      ['2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z'],
      ['yesterday', 'today'],
    ])('are replayed for a time that is one, not from %s to %s', async (from, to) => {
      const { id } = await create();
      const answered = await ask('POST', `/${id}/replay`, { body: { from, to } });
      expect(refusal(answered)).toMatchObject({ status: 400, title: 'RequestInvalid' });
    });
  });
};
