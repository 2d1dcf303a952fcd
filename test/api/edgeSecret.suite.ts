import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as models from '../../src/api/models.ts';
import { type ApiWorld, aCompany, aMember, type Company, helloWorker, problemOf } from '../support/api.ts';

const page = z.object({ items: z.array(models.secret), next: z.string().nullable() });
const submitted = z.object({
  revision: z.number(),
  workerId: z.string(),
  secrets: z.array(z.object({ name: z.string(), version: z.number() })),
});
const ticket = z.object({ ticketId: z.string() });

export const edgeSecretSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  beforeAll(async () => {
    world = await shared();
  });

  const put = (company: Company, name: string, value: string, more: object = {}) =>
    world.ask('PUT', `${company.worker}/secrets/${name}`, { token: company.token, body: { value }, ...more });
  const remove = (company: Company, name: string, query = '') =>
    world.ask('DELETE', `${company.worker}/secrets/${name}${query}`, { token: company.token });
  const submit = (company: Company, secretNames: readonly string[], more: object = {}) =>
    world.ask('POST', `${company.worker}/revisions`, {
      token: company.token,
      body: { ...helloWorker(), secretNames, ...more },
    });
  const deploy = (company: Company, revision: number) =>
    world.ask('POST', `${company.worker}/deployments`, { token: company.token, body: { revision } });
  /** Submits a revision that reads these secrets, and deploys it all the way. */
  const live = async (company: Company, secretNames: readonly string[]) => {
    const { revision, workerId } = submitted.parse((await submit(company, secretNames)).body);
    await world.carryOut(workerId, ticket.parse((await deploy(company, revision)).body).ticketId);
    return revision;
  };
  const list = async (company: Company, query = '') => {
    const waitFor = String(await world.log.head());
    const path = `${company.worker}/secrets?waitFor=${waitFor}${query}`;
    return page.parse((await world.ask('GET', path, { token: company.token })).body);
  };

  test('a secret is stored, pinned by a revision, listed without its value, and removed when nothing reads it', async () => {
    const company = await aCompany(world);
    const first = await put(company, 'API_KEY', 'value-number-one');
    expect(first).toMatchObject({ status: 200, body: { name: 'API_KEY', version: 1 } });
    const revision = await live(company, ['API_KEY']);
    const second = await put(company, 'API_KEY', 'value-number-two');
    expect(second.body).toMatchObject({ name: 'API_KEY', version: 2 });
    const { items } = await list(company);
    expect(items).toMatchObject([
      {
        name: 'API_KEY',
        version: 2,
        liveVersion: 1,
        revisions: [{ revision, version: 1 }],
        storedBy: expect.any(String),
      },
    ]);
    await live(company, []);
    expect((await remove(company, 'API_KEY')).status).toBe(204);
    expect((await list(company)).items).toEqual([]);
    expect((await remove(company, 'API_KEY')).status).toBe(204);
  });

  test('the same value again is the same version, under the same key or another one', async () => {
    const company = await aCompany(world);
    const headers = { 'idempotency-key': randomUUID() };
    const first = await put(company, 'TOKEN', 'the-very-same', { headers });
    expect((await put(company, 'TOKEN', 'the-very-same', { headers })).body).toEqual(first.body);
    expect((await put(company, 'TOKEN', 'the-very-same')).body).toMatchObject({ version: 1 });
    expect(problemOf(await put(company, 'TOKEN', 'another', { headers })).title).toBe('IdempotencyKeyReused');
  });

  test('a dry run shows what would be stored and removed, and stores and removes nothing', async () => {
    const company = await aCompany(world);
    await put(company, 'HERE', 'already-here');
    const before = await world.holdings();
    const headers = { prefer: 'dry-run' };
    const rehearsed = await put(company, 'TOKEN', 'not-to-be-seen', { headers });
    expect(rehearsed.body).toMatchObject({
      dryRun: true,
      events: [{ type: 'EdgeSecretStored', data: { version: 1 } }],
    });
    expect(rehearsed.text).not.toContain('not-to-be-seen');
    const removal = await world.ask('DELETE', `${company.worker}/secrets/HERE`, { token: company.token, headers });
    expect(removal.body).toMatchObject({ dryRun: true, events: [{ type: 'EdgeSecretRemoved' }] });
    expect(await world.holdings()).toEqual(before);
  });

  test('lists come in pages, by name', async () => {
    const company = await aCompany(world);
    for (const name of ['C', 'A', 'B']) await put(company, name, `value of ${name}`);
    const first = await list(company, '&limit=2');
    expect(first.items.map(({ name }) => name)).toEqual(['A', 'B']);
    const rest = await list(company, `&limit=2&cursor=${first.next}`);
    expect(rest).toMatchObject({ items: [{ name: 'C' }], next: null });
  });

  describe('A revision', () => {
    test('of a secret that the department does not have, or has removed, is refused by name', async () => {
      const company = await aCompany(world);
      const other = await aCompany(world);
      await put(other, 'API_KEY', 'of somebody else');
      const details = { name: 'API_KEY' };
      expect(problemOf(await submit(company, ['API_KEY']))).toMatchObject({
        status: 422,
        title: 'SecretNotFound',
        details,
      });
      await put(company, 'API_KEY', 'was here');
      await remove(company, 'API_KEY');
      expect(problemOf(await submit(company, ['API_KEY']))).toMatchObject({ title: 'SecretNotFound', details });
    });

    test('cannot have a plain variable and a secret of one name', async () => {
      const company = await aCompany(world);
      await put(company, 'API_KEY', 'x');
      const refused = await submit(company, ['API_KEY'], { variables: { API_KEY: 'y' } });
      expect(problemOf(refused)).toMatchObject({ title: 'SettingsInvalid', field: 'secretNames' });
    });

    test('pins the newest versions, and its environment digest says which', async () => {
      const company = await aCompany(world);
      await put(company, 'A', 'one');
      const before = await submit(company, ['A']);
      await put(company, 'A', 'two');
      const after = await submit(company, ['A', 'A']);
      expect(submitted.parse(before.body).secrets).toEqual([expect.objectContaining({ name: 'A', version: 1 })]);
      expect(submitted.parse(after.body).secrets).toEqual([expect.objectContaining({ name: 'A', version: 2 })]);
      expect(Object(before.body).environmentDigest).not.toBe(Object(after.body).environmentDigest);
      const shown = await world.ask('GET', `${company.worker}/revisions/1?waitFor=${await world.log.head()}`, company);
      expect(shown.body).toMatchObject({ secrets: Object(before.body).secrets });
    });

    test('that is submitted a second time under its key pins what it pinned the first time', async () => {
      const company = await aCompany(world);
      const headers = { 'idempotency-key': randomUUID() };
      const again = () =>
        world.ask('POST', `${company.worker}/revisions`, {
          ...{ token: company.token, headers },
          body: { ...helloWorker(), secretNames: ['A'] },
        });
      await put(company, 'A', 'one');
      const first = await again();
      await put(company, 'A', 'two');
      expect((await again()).body).toEqual(first.body);
      await remove(company, 'A');
      expect((await again()).body).toEqual(first.body);
    });

    test('that pins a removed secret is not deployed and not rolled back to; one that pins none is', async () => {
      const company = await aCompany(world);
      await put(company, 'A', 'one');
      await live(company, ['A']);
      await live(company, []);
      await remove(company, 'A');
      // Stored again it is another version: what was removed stays removed.
      await put(company, 'A', 'one');
      const gone = { status: 409, title: 'SecretGone', details: { name: 'A', version: 1 } };
      expect(problemOf(await deploy(company, 1))).toMatchObject(gone);
      const back = await world.ask('POST', `${company.worker}/rollback`, { token: company.token });
      expect(problemOf(back)).toMatchObject(gone);
      expect((await deploy(company, 2)).status).toBe(202);
    });
  });

  describe('Removal', () => {
    test('is refused while the live revision or one on its way reads the secret, unless it is forced', async () => {
      const company = await aCompany(world);
      await put(company, 'LIVE', 'a');
      await put(company, 'COMING', 'b');
      await live(company, ['LIVE']);
      expect(problemOf(await remove(company, 'LIVE'))).toMatchObject({
        title: 'SecretInUse',
        details: { revision: 1 },
      });
      const { revision } = submitted.parse((await submit(company, ['COMING'])).body);
      await deploy(company, revision);
      expect(problemOf(await remove(company, 'COMING'))).toMatchObject({
        title: 'SecretInUse',
        details: { revision: 2 },
      });
      expect((await remove(company, 'LIVE', '?force=true')).status).toBe(204);
    });

    test('of what is not there says so', async () => {
      expect(problemOf(await remove(await aCompany(world), 'NOTHING'))).toMatchObject({
        status: 404,
        title: 'EdgeSecretNotFound',
      });
    });
  });

  describe('Who may', () => {
    test.each([
      ['OWNER', 200, 204],
      ['ADMIN', 200, 204],
      ['MEMBER', 200, 204],
      ['VIEWER', 403, 403],
    ])('%s: storing answers %i, removing %i, and everybody sees the list', async (role, storing, removing) => {
      const company = await aCompany(world);
      await put(company, 'KEPT', 'something');
      const { token } = await aMember(world, company, { role });
      const as = { ...company, token };
      expect((await put(as, 'MINE', 'a value')).status).toBe(storing);
      expect((await remove(as, 'KEPT')).status).toBe(removing);
      expect((await world.ask('GET', `${company.worker}/secrets`, { token })).status).toBe(200);
    });
  });

  describe('What is refused', () => {
    test.each([
      ['a name that is no variable name', 'not-a-name', 'x'],
      ['a name that means something to the language', '__proto__', 'x'],
      ['an empty value', 'A', ''],
      ['a value of more than 5 KB', 'A', 'x'.repeat(5 * 1024 + 1)],
      ['a value of more than 5 KB in UTF-8', 'A', 'é'.repeat(2_561)],
      ['a value with NUL, which no environment takes', 'A', 'a\0b'],
      ['a value that is no text', 'A', '\ud800'],
    ])('%s', async (_what, name, value) => {
      const company = await aCompany(world);
      expect(problemOf(await put(company, name, value)).title).toBe('RequestInvalid');
    });

    test('5 KB exactly are taken', async () => {
      expect((await put(await aCompany(world), 'A', 'x'.repeat(5 * 1024))).status).toBe(200);
    });
  });

  test('a value is in no answer, log line or event, whatever goes wrong', async () => {
    const company = await aCompany(world);
    const canary = `canary${randomUUID().replaceAll('-', '')}`;
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    const url = `${company.worker}/secrets/A`;
    const { token } = company;
    const raw = (text: string, method = 'PUT', to = url) =>
      world.ask(method, to, { token, headers, bytes: new TextEncoder().encode(text) });
    const answers = [
      await raw(`{"value": "${canary}"`),
      await raw(`"${canary}"`),
      await raw(JSON.stringify({ value: canary, more: canary })),
      await raw(JSON.stringify({ value: [canary] })),
      await raw(JSON.stringify({ value: canary.repeat(400) })),
      await raw(JSON.stringify({ value: canary }), 'POST'),
      await raw(JSON.stringify({ value: canary }), 'PUT', `${company.worker}/secrets/no-name`),
      await put(company, 'A', canary, { headers: { prefer: 'dry-run' } }),
      await put(company, 'A', canary, { headers: { 'if-match': 'W/"7"' } }),
      await put(company, 'A', canary),
      await put(company, 'A', canary),
      await submit(company, ['A']),
      await deploy(company, 1),
      await world.ask('GET', `${company.worker}/secrets`, { token }),
      await world.ask('GET', `${company.base}/audit?limit=200&waitFor=${await world.log.head()}`, { token }),
    ];
    for (const { text } of answers) expect(text).not.toContain(canary);
    expect(world.logged.join('\n')).not.toContain(canary);
    const events: string[] = [];
    for await (const event of world.log.readAll()) events.push(JSON.stringify([event.data, event.metadata]));
    expect(events.join('\n')).not.toContain(canary);
    expect(events.join('\n')).not.toContain(Buffer.from(canary).toString('base64').slice(4, -4));
  });
};
