import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiLimits } from '../../src/api/deps.ts';
import * as invitationModels from '../../src/api/invitationModels.ts';
import * as models from '../../src/api/models.ts';
import { turnLimits } from '../../src/api/turns.ts';
import { type ApiWorld, aCompany, aLiveWorker, aMember, type Company, helloWorker, problemOf } from '../support/api.ts';

export const httpSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  let company: Company;
  beforeAll(async () => {
    world = await shared();
    company = await aCompany(world);
  });

  let made = 0;
  const newDepartment = (headers: Readonly<Record<string, string>> = {}, slug = `dept-${++made}`) =>
    world.ask('POST', `${company.base}/departments`, { token: company.token, body: { name: slug, slug }, headers });

  /** A request byte by byte, for what no well-behaved client would send. */
  const rawRequest = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(world.url).port), '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk.toString();
      });
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });

  describe('The same idempotency key', () => {
    test('with the same body gets the same answer, and nothing more is appended', async () => {
      const headers = { 'idempotency-key': 'create-1' };
      const first = await newDepartment(headers, 'idempotent');
      const before = await world.holdings();
      const retry = await newDepartment(headers, 'idempotent');
      expect(retry.status).toBe(201);
      expect(retry.body).toEqual(first.body);
      expect(retry.headers.get('opslog-position')).toBe(first.headers.get('opslog-position'));
      expect(await world.holdings()).toEqual(before);
    });

    test('with another body is refused, and nothing is appended', async () => {
      const headers = { 'idempotency-key': 'create-2' };
      await newDepartment(headers, 'key-2-a');
      const before = await world.holdings();
      const other = await newDepartment(headers, 'key-2-b');
      expect(problemOf(other)).toMatchObject({ title: 'IdempotencyKeyReused', status: 422 });
      expect(await world.holdings()).toEqual(before);
    });

    test('of another actor is another command', async () => {
      const headers = { 'idempotency-key': 'shared' };
      const elsewhere = await aCompany(world);
      const issued = await world.ask('POST', `${company.base}/api-tokens`, {
        token: company.token,
        body: { name: 'x', role: 'ADMIN' },
      });
      const { token } = models.issuedApiToken.parse(issued.body);
      const mine = await newDepartment(headers, 'shared-a');
      const others = await world.ask('POST', `${company.base}/departments`, {
        token,
        headers,
        body: { name: 'b', slug: 'shared-b' },
      });
      expect([mine.status, others.status]).toEqual([201, 201]);
      expect(elsewhere.workspaceId).not.toBe(company.workspaceId);
    });

    test('gives the same ticket, the same revision, the same API token and the same invitation', async () => {
      const { token, worker, base } = await aCompany(world);
      const twice = async (path: string, body: object, key: string) => {
        const ask = () => world.ask('POST', path, { token, body, headers: { 'idempotency-key': key } });
        const [first, second] = [await ask(), await ask()];
        expect(second.status).toBe(first.status);
        expect(second.body).toEqual(first.body);
        return first;
      };
      await twice(`${worker}/revisions`, helloWorker(), 'a');
      await twice(`${worker}/deployments`, {}, 'b');
      await twice(`${base}/api-tokens`, { name: 'x', role: 'VIEWER', expiresInDays: 3 }, 'c');
      const invited = await twice(`${base}/invitations`, { email: 'once@example.com', role: 'VIEWER' }, 'd');
      expect(Object(invited.body).token).toMatch(/^opi_[0-9a-f]{80}$/);
    });

    test('sent many times at once leads to one department', async () => {
      const headers = { 'idempotency-key': 'race-1' };
      const answers = await Promise.all(Array.from({ length: 8 }, () => newDepartment(headers, 'raced')));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    });

    test.each(['', 'with space', 'é', 'x'.repeat(256)])('must be well formed: %j is not', async (key) => {
      const slug = `bad-key-${++made}`;
      const answered = await new Promise<number | undefined>((resolve, reject) => {
        const request = httpRequest(`${world.url}${company.base}/departments`, {
          method: 'POST',
          headers: { authorization: `Bearer ${company.token}`, 'content-type': 'application/json' },
        });
        request.setHeader('idempotency-key', Buffer.from(key).toString('latin1'));
        request.on('response', (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        request.on('error', reject);
        request.end(JSON.stringify({ name: slug, slug }));
      });
      expect(answered).toBe(400);
    });
  });

  describe('Revisions', () => {
    test('are given as ETag, and If-Match with an older one is refused', async () => {
      const mine = await aCompany(world);
      await aLiveWorker(world, mine);
      const read = await world.ask('GET', mine.worker, { token: mine.token });
      const etag = read.headers.get('etag') ?? '';
      expect(etag).toMatch(/^W\/"\d+"$/);
      const ask = (verb: string) =>
        world.ask('POST', `${mine.worker}/${verb}`, { token: mine.token, headers: { 'if-match': etag } });
      const paused = await ask('pause');
      expect(paused.status).toBe(200);
      const late = await ask('resume');
      expect(problemOf(late)).toMatchObject({ title: 'RevisionMismatch', status: 412, field: 'If-Match' });
      const current = { 'if-match': paused.headers.get('etag') ?? '' };
      const resumed = await world.ask('POST', `${mine.worker}/resume`, { token: mine.token, headers: current });
      expect(resumed.status).toBe(200);
    });

    test.each(['3', '"a"', 'W/"1", W/"2"', '"-1"'])('a malformed If-Match is refused: %s', async (etag) => {
      const answered = await newDepartment({ 'if-match': etag });
      expect(problemOf(answered)).toMatchObject({ title: 'RequestInvalid', field: 'If-Match' });
    });
  });

  describe('A dry run', () => {
    test('answers with the facts that would be, and appends and stores nothing', async () => {
      const { token, base, worker } = await aCompany(world);
      const headers = { prefer: 'dry-run' };
      const before = await world.holdings();
      const department = await world.ask('POST', `${base}/departments`, {
        token,
        headers,
        body: { name: 'D', slug: 'd' },
      });
      expect(department.status).toBe(200);
      expect(department.headers.get('preference-applied')).toBe('dry-run');
      expect(department.body).toMatchObject({
        dryRun: true,
        events: [{ type: 'NameReserved' }, { type: 'DepartmentCreated', data: { slug: 'd' } }],
      });
      const revision = await world.ask('POST', `${worker}/revisions`, { token, headers, body: helloWorker() });
      expect(revision.body).toMatchObject({ events: [{ type: 'EdgeWorkerCreated' }, { type: 'RevisionSubmitted' }] });
      expect(await world.holdings()).toEqual(before);
    });

    test('shows no secret', async () => {
      const { token, base } = company;
      const headers = { prefer: 'respond-async, dry-run' };
      const password = 'a very secret password';
      const invited = await world.ask('POST', `${base}/invitations`, {
        token,
        body: { email: 'dry@example.com', role: 'VIEWER' },
      });
      const body = { token: invitationModels.issuedInvitation.parse(invited.body).token, displayName: 'Dry', password };
      const member = await world.ask('POST', '/auth/invitations/register', { headers, body });
      expect(member.body).toMatchObject({
        events: [{}, { type: 'UserRegistered' }, { type: 'InvitationAccepted' }, { type: 'MemberAdded' }],
      });
      expect(member.text).not.toContain('$argon2');
      expect(member.text).not.toContain(password);
    });

    test('is refused like the command itself would be', async () => {
      const { token, worker } = await aCompany(world);
      const answered = await world.ask('POST', `${worker}/deployments`, { token, headers: { prefer: 'dry-run' } });
      expect(problemOf(answered).title).toBe('EdgeWorkerNotFound');
    });
  });

  describe('Lists', () => {
    test('are walked page by page without a hole or a repeat', async () => {
      const mine = await aCompany(world);
      const slugs = ['payments'];
      let position = '';
      for (let index = 0; index < 6; index += 1) {
        const slug = `page-${index}`;
        slugs.push(slug);
        const created = await world.ask('POST', `${mine.base}/departments`, {
          token: mine.token,
          body: { name: slug, slug },
        });
        position = created.headers.get('opslog-position') ?? '';
      }
      const seen: string[] = [];
      let cursor = '';
      let pages = 0;
      do {
        const query = `limit=3&waitFor=${position}${cursor === '' ? '' : `&cursor=${cursor}`}`;
        const { body } = await world.ask('GET', `${mine.base}/departments?${query}`, { token: mine.token });
        const page = z
          .object({ items: z.array(z.object({ slug: z.string() })), next: z.string().nullable() })
          .parse(body);
        seen.push(...page.items.map(({ slug }) => slug));
        cursor = page.next ?? '';
        pages += 1;
      } while (cursor !== '');
      expect(seen).toEqual(slugs);
      expect(pages).toBe(3);
    });

    test('take a cursor only from the list that gave it', async () => {
      const position = (await newDepartment()).headers.get('opslog-position') ?? '';
      const first = await world.ask('GET', `${company.base}/departments?limit=1&waitFor=${position}`, company);
      const { next } = z.object({ next: z.string() }).parse(first.body);
      const elsewhere = await world.ask('GET', `${company.base}/audit?cursor=${next}`, company);
      expect(problemOf(elsewhere)).toMatchObject({ title: 'RequestInvalid', field: 'cursor' });
      const forged = `${next.slice(0, -2)}AA`;
      expect((await world.ask('GET', `${company.base}/departments?cursor=${forged}`, company)).status).toBe(400);
    });

    test.each(['limit=0', 'limit=201', 'limit=x', 'limit=1&limit=2', 'unknown=1', 'cursor=%00'])(
      'refuse %s',
      async (query) => {
        const answered = await world.ask('GET', `${company.base}/departments?${query}`, { token: company.token });
        expect(problemOf(answered)).toMatchObject({ title: 'RequestInvalid', status: 400 });
      },
    );
  });

  describe('Reading what was written', () => {
    test('waits for the position that the command answered, by parameter or header', async () => {
      for (const how of ['parameter', 'header']) {
        const created = await newDepartment();
        const position = created.headers.get('opslog-position') ?? '';
        const query = how === 'parameter' ? `&waitFor=${position}` : '';
        const headers: Record<string, string> = how === 'header' ? { 'opslog-wait-for': position } : {};
        const list = await world.ask('GET', `${company.base}/departments?limit=200${query}`, {
          token: company.token,
          headers,
        });
        expect(list.text).toContain(models.department.parse(created.body).id);
      }
    });

    test('gives up in time, with a problem that says so', async () => {
      const impatient = await world.behind({ limits: { waitMs: 50 }, stuck: true });
      const { base, token } = await aCompany(impatient);
      const answered = await impatient.ask('GET', `${base}/departments?waitFor=${await world.log.head()}`, { token });
      expect(problemOf(answered)).toMatchObject({ title: 'ProjectionBehind', status: 503 });
      expect(answered.headers.get('retry-after')).toBe('5');
      await impatient.stop();
    });

    test.each(['x', '-1', '1.5', '9'.repeat(20), '9'.repeat(21)])('refuses to wait for %s', async (position) => {
      const answered = await world.ask('GET', `${company.base}/departments?waitFor=${position}`, {
        token: company.token,
      });
      expect(problemOf(answered).field).toBe('waitFor');
    });
  });

  describe('?at=', () => {
    test('answers with a workspace, department, worker and revision as they were then', async () => {
      const mine = await aCompany(world);
      const { token, base, worker } = mine;
      const time = async (): Promise<string> => {
        let last = 0;
        for await (const event of world.log.readAll()) last = event.recordedAt;
        // Facts of the same millisecond are one moment: go on in the next one.
        while (Date.now() <= last) await new Promise(setImmediate);
        return new Date(last).toISOString();
      };
      const created = await time();
      const { workerId } = await aLiveWorker(world, mine);
      const deployed = await time();
      await world.ask('POST', `${worker}/pause`, { token });
      const position = String(await world.log.head());
      await world.ask('GET', `${base}/workers?waitFor=${position}`, { token });

      expect((await world.ask('GET', `${base}?at=${created}`, { token })).status).toBe(200);
      expect(problemOf(await world.ask('GET', `${base}?at=2020-01-01T00:00:00Z`, { token })).title).toBe(
        'WorkspaceNotFound',
      );
      expect((await world.ask('GET', `${base}/departments/${mine.departmentId}?at=${created}`, { token })).status).toBe(
        200,
      );
      expect(problemOf(await world.ask('GET', `${worker}?at=${created}`, { token })).title).toBe('EdgeWorkerNotFound');
      const then = await world.ask('GET', `${worker}?at=${deployed}`, { token });
      expect(then.body).toMatchObject({ id: workerId, status: 'active', liveRevision: 1 });
      expect((await world.ask('GET', worker, { token })).body).toMatchObject({ status: 'paused' });
      const revision = await world.ask('GET', `${worker}/revisions/1?at=${deployed}`, { token });
      expect(revision.body).toMatchObject({ revision: 1, state: 'deployed' });
      const early = await world.ask('GET', `${worker}/revisions/1?at=${created}`, { token });
      expect(problemOf(early).title).toBe('RevisionNotFound');
    });

    test.each(['yesterday', '2026-01-01', '2026-13-01T00:00:00Z', '1767225600000'])('refuses %s', async (at) => {
      const answered = await world.ask('GET', `${company.base}?at=${at}`, { token: company.token });
      expect(problemOf(answered)).toMatchObject({ title: 'RequestInvalid', field: 'at' });
    });
  });

  describe('Evidence', () => {
    test('of a revision is served as it was recorded', async () => {
      const mine = await aCompany(world);
      await aLiveWorker(world, mine);
      const position = String(await world.log.head());
      const sbom = await world.ask('GET', `${mine.worker}/revisions/1/sbom?waitFor=${position}`, { token: mine.token });
      expect(sbom.headers.get('content-type')).toBe('application/vnd.cyclonedx+json');
      expect(sbom.body).toMatchObject({ bomFormat: 'CycloneDX' });
      const receipt = await world.ask('GET', `${mine.worker}/revisions/1/receipt`, { token: mine.token });
      expect(receipt.body).toMatchObject({ payloadType: 'application/vnd.in-toto+json' });
      for (const revision of ['2', '0', 'x', '1.5', '9999999999']) {
        const missing = await world.ask('GET', `${mine.worker}/revisions/${revision}/sbom`, { token: mine.token });
        expect(problemOf(missing).title).toBe('RevisionNotFound');
      }
    });
  });

  describe('A request that is not one of ours', () => {
    const post = (body: string | Uint8Array, type: string, headers: Readonly<Record<string, string>> = {}) =>
      world.ask('POST', `${company.base}/departments`, {
        token: company.token,
        bytes: typeof body === 'string' ? new TextEncoder().encode(body) : body,
        headers: { 'content-type': type, ...headers },
      });
    const json = 'application/json';

    test.each([
      ['an unknown address', 'GET', '/nowhere', 'RouteNotFound'],
      ['an address with a slash too many', 'GET', '/workspaces/', 'RouteNotFound'],
      ['an address with a broken escape', 'GET', '/workspaces/%ZZ', 'RouteNotFound'],
      ['a method that the address does not take', 'DELETE', '/workspaces', 'MethodNotAllowed'],
      ['a method that nobody takes', 'TRACE', '/workspaces', 'MethodNotAllowed'],
    ])('%s', async (_what, method, path, title) => {
      const answer = await rawRequest(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer).toContain(`"title":"${title}"`);
      if (title === 'MethodNotAllowed') expect(answer).toContain('Allow: GET, HEAD, POST, OPTIONS');
    });

    test.each([
      ['no JSON', '{"name":', json, 'BodyMalformed'],
      ['no UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d), json, 'BodyMalformed'],
      ['too deep', `${'['.repeat(40)}${']'.repeat(40)}`, json, 'BodyMalformed'],
      ['a member named __proto__', '{"name":"x","slug":"x","__proto__":{"a":1}}', json, 'BodyMalformed'],
      ['the same, disguised', '{"name":"x","slug":"x","\\u005f_proto__":{"a":1}}', json, 'BodyMalformed'],
      ['a member named constructor', '{"constructor":{"prototype":{}}}', json, 'BodyMalformed'],
      ['no body at all', '', json, 'BodyMalformed'],
      ['a list', '[]', json, 'RequestInvalid'],
      ['null', 'null', json, 'RequestInvalid'],
      ['a member too many', '{"name":"x","slug":"y","id":"z"}', json, 'RequestInvalid'],
      ['another media type', 'name=x', 'application/x-www-form-urlencoded', 'MediaTypeUnsupported'],
      ['an archive where none is taken', 'x', 'application/zip', 'MediaTypeUnsupported'],
    ] as const)('a body that is %s', async (_what, body, type, title) => {
      const before = await world.holdings();
      expect(problemOf(await post(body, type)).title).toBe(title);
      expect(await world.holdings()).toEqual(before);
    });

    test.each([
      ['nothing that can be seen', '\u200b\u2060'],
      ['a change of writing direction', 'Payments\u202etxt'],
      ['a line feed', 'Pay\nments'],
      ['half a character', '\ud800'],
    ])('a name that holds %s', async (_what, name) => {
      const answered = await post(JSON.stringify({ name, slug: 'named' }), json);
      expect(problemOf(answered)).toMatchObject({ title: 'RequestInvalid', field: 'name' });
    });

    test('a body that is too large, announced or not', async () => {
      const large = 'x'.repeat(1024 * 1024 + 1);
      const announced = await post(JSON.stringify({ name: large, slug: 'x' }), json);
      expect(problemOf(announced)).toMatchObject({ title: 'BodyTooLarge', status: 413 });
      const head = `POST ${company.base}/departments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${company.token}\r\n`;
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      const chunked = `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}`;
      expect(await rawRequest(chunked)).toContain('"title":"BodyTooLarge"');
    });

    test('an encoded body', async () => {
      const answered = await post('{}', json, { 'content-encoding': 'gzip' });
      expect(problemOf(answered)).toMatchObject({ title: 'MediaTypeUnsupported', field: 'Content-Encoding' });
    });

    test('an address that is too long', async () => {
      const answered = await world.ask('GET', `/auth/me?x=${'y'.repeat(5000)}`, { token: company.token });
      expect(problemOf(answered)).toMatchObject({ title: 'UrlTooLong', status: 414 });
    });

    test('an address as a whole URL, which names the same thing', async () => {
      const whole = `GET http://x/auth/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
      expect(await rawRequest(`${whole}Authorization: Bearer ${company.token}\r\n\r\n`)).toContain('"kind":"user"');
    });

    test('more headers than are read, so that none goes unheard', async () => {
      const many = Array.from({ length: 120 }, (_, at) => `X-${at}: y\r\n`).join('');
      const head = `POST ${company.base}/departments HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
      const body = '{"name":"unheard","slug":"unheard"}';
      const own = `Authorization: Bearer ${company.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      const before = await world.holdings();
      expect(await rawRequest(`${head}${own}${many}Prefer: dry-run\r\n\r\n${body}`)).toContain(
        '"title":"HeadersTooLarge"',
      );
      expect(await world.holdings()).toEqual(before);
    });

    test('headers that are too large, and what is not HTTP', async () => {
      const large = await rawRequest(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`);
      expect(large).toContain('"title":"HeadersTooLarge"');
      expect(await rawRequest('hello\r\n\r\n')).toContain('"title":"RequestInvalid"');
    });
  });

  describe('Every answer', () => {
    test('carries the request id of the caller when it is well formed, and one of ours when not', async () => {
      const given = await world.ask('GET', '/health/live', { headers: { 'x-request-id': 'my-request-1' } });
      expect(given.headers.get('x-request-id')).toBe('my-request-1');
      const bad = await world.ask('GET', '/health/live', { headers: { 'x-request-id': 'a b<script>' } });
      expect(bad.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    });

    test('leads back to its facts by the ids that the request carried', async () => {
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
      const created = await newDepartment({ 'x-request-id': 'request-77', traceparent });
      const { id } = models.department.parse(created.body);
      for await (const event of world.log.readStream(`department-${id}`)) {
        expect(event.metadata).toMatchObject({
          requestId: 'request-77',
          $correlationId: '4bf92f3577b34da6a3ce929d0e0e4736',
          actor: { kind: 'user', id: world.administrator.userId },
          authMethod: 'session',
          workspaceId: company.workspaceId,
          departmentId: id,
        });
      }
    });

    test('forbids browsers to render, frame, sniff or keep it', async () => {
      for (const path of ['/auth/me', '/nowhere', '/health/live']) {
        const { headers } = await world.ask('GET', path);
        expect(headers.get('content-security-policy')).toContain("default-src 'none'");
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('x-frame-options')).toBe('DENY');
        expect(headers.get('cache-control')).toBe('no-store');
        expect(headers.get('x-powered-by')).toBeNull();
      }
    });
  });

  describe('About the API', () => {
    test('health, metrics, document, page and problem pages answer without a sign-in', async () => {
      expect((await world.ask('GET', '/health/live')).body).toEqual({ status: 'live' });
      expect((await world.ask('GET', '/health/ready')).body).toMatchObject({ ready: true, lag: { events: 0 } });
      const metrics = await world.ask('GET', '/metrics');
      expect(metrics.text).toContain(
        'opslog_http_request_duration_seconds_count{method="GET",route="/health/live",status="200"}',
      );
      expect((await world.ask('GET', '/openapi.json')).body).toMatchObject({ openapi: '3.1.0' });
      const docs = await world.ask('GET', '/docs');
      expect(docs.text).toContain('/workspaces/{workspaceId}/departments');
      expect(docs.text).not.toMatch(/<script|https?:\/\/(?!json-schema)/);
      const page = await world.ask('GET', '/problems/EdgeWorkerPaused');
      expect(page.text).toContain('# EdgeWorkerPaused');
      expect((await world.ask('GET', '/problems/toString')).status).toBe(404);
    });

    test('HEAD answers like GET without a body, OPTIONS names the methods', async () => {
      const head = await world.ask('HEAD', '/health/live');
      expect([head.status, head.text]).toEqual([200, '']);
      const options = await world.ask('OPTIONS', '/workspaces');
      expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
    });
  });

  describe('Limits', () => {
    test('of a token, an address and of sign-ins are told with the time to wait', async () => {
      const none = { perSecond: 0.5, burst: 5 };
      const strict = await world.behind({ limits: { perToken: none, signIn: { perSecond: 0.5, burst: 3 } } });
      const token = await strict.signIn();
      const answers = [];
      for (let index = 0; index < 8; index += 1) answers.push(await strict.ask('GET', '/auth/me', { token }));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
      expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);

      const { email } = strict.administrator;
      const signIns = [];
      for (let index = 0; index < 4; index += 1) {
        signIns.push((await strict.ask('POST', '/auth/sessions', { body: { email, password: 'a guess' } })).status);
      }
      expect(signIns).toEqual([401, 401, 401, 429]);
      await strict.stop();

      const narrow = await world.behind({ limits: { perAddress: none } });
      const good = await narrow.signIn();
      const guesses = [];
      for (let index = 0; index < 6; index += 1)
        guesses.push((await narrow.ask('GET', '/auth/me', { token: 'x' })).status);
      expect(guesses).toEqual([401, 401, 401, 401, 429, 429]);
      expect((await narrow.ask('GET', '/auth/me', { token: good })).status).toBe(200);
      await narrow.stop();
    });

    test('of sign-ins count whom a trusted proxy names, and nobody else', async () => {
      const limits = { signIn: { perSecond: 0.001, burst: 1 } };
      const signIn = (door: ApiWorld, from: string) =>
        door.ask('POST', '/auth/sessions', {
          body: { email: 'nobody@example.com', password: 'x' },
          headers: { 'x-forwarded-for': from },
        });
      const behindProxy = await world.behind({ limits, trustForwarded: true });
      const from = ['6.6.6.6, 1.1.1.1', '7.7.7.7, 1.1.1.1', '1.1.1.1, 2.2.2.2', '2001:db8::1', '2001:0DB8:0::9:1'];
      const told = [];
      for (const each of from) told.push((await signIn(behindProxy, each)).status);
      expect(told).toEqual([401, 429, 401, 401, 429]);
      // Some proxies write the port, or an address of IPv4 as one of IPv6: that makes nobody somebody new.
      const sameAgain = ['1.1.1.1:1001', '1.1.1.1:1002', '::ffff:2.2.2.2', '[2001:db8::5]:99'];
      for (const each of sameAgain) expect((await signIn(behindProxy, each)).status, each).toBe(429);
      await behindProxy.stop();
      const direct = await world.behind({ limits });
      expect((await signIn(direct, '1.1.1.1')).status).toBe(401);
      expect((await signIn(direct, '2.2.2.2')).status).toBe(429);
      await direct.stop();
    });

    test('of sign-ins let nobody lock the owner of an address out by guessing from elsewhere', async () => {
      const door = await world.behind({
        limits: { signIn: apiLimits.signIn, signInPerEmail: apiLimits.signInPerEmail },
        trustForwarded: true,
      });
      const { email, password } = door.administrator;
      const signIn = (word: string, from: string) =>
        door.ask('POST', '/auth/sessions', { body: { email, password: word }, headers: { 'x-forwarded-for': from } });
      const guesses = [];
      for (let index = 0; index < 25; index += 1) guesses.push((await signIn('a wrong guess', '6.6.6.6')).status);
      expect(guesses.at(-1)).toBe(429);
      expect((await signIn(password, '1.1.1.1')).status).toBe(201);
      await door.stop();
    });

    test('of bodies in memory hold for one caller who sends slowly, and others are served', async () => {
      const door = await world.behind({ limits: { bodies: { total: 300_000, perCaller: 100_000 } } });
      const head = (token: string, bytes: number) =>
        `POST ${company.base}/departments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;
      const slow = await Promise.all(
        [1, 2, 3].map(async () => {
          const socket = connect(Number(new URL(door.url).port), '127.0.0.1');
          socket.write(head(company.token, 200_000) + ' '.repeat(45_000));
          const answered = new Promise<string>((resolve) => {
            socket.once('data', (chunk) => resolve(chunk.toString()));
            socket.once('close', () => resolve(''));
          });
          return { socket, answered };
        }),
      );
      expect(await Promise.race(slow.map(({ answered }) => answered))).toContain('"title":"ServerBusy"');
      const other = await aMember(door, company, { role: 'OWNER' });
      const body = { name: 'Served', slug: 'served-meanwhile' };
      expect((await door.ask('POST', `${company.base}/departments`, { token: other.token, body })).status).toBe(201);
      for (const { socket } of slow) socket.destroy();
      await expect
        .poll(async () => {
          const padded = new TextEncoder().encode(JSON.stringify({ name: 'x', slug: 'NO' }).padEnd(90_000));
          const headers = { 'content-type': 'application/json' };
          const { token } = company;
          return (await door.ask('POST', `${company.base}/departments`, { token, bytes: padded, headers })).status;
        })
        .toBe(400);
      await door.stop();
    });

    test('of builds are told before the submission is read', async () => {
      const none = { ...turnLimits.builds, total: 0, waiting: 0 };
      const busy = await world.behind({ limits: { turns: { ...turnLimits, builds: none } } });
      const { token, worker } = await aCompany(busy);
      const answered = await busy.ask('POST', `${worker}/revisions`, { token, body: helloWorker() });
      expect(problemOf(answered)).toMatchObject({ title: 'ServerBusy', status: 503 });
      expect(answered.headers.get('retry-after')).toBe('5');
      await busy.stop();
    });
  });
};
