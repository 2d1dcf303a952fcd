import { randomUUID } from 'node:crypto';
import ssh2 from 'ssh2';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { credential, writtenCredential } from '../../src/api/credentialModels.ts';
import { type ApiWorld, type Ask, aCompany, aMember, type Company, problemOf } from '../support/api.ts';
import { anSshPair } from '../support/sshPair.ts';

const page = z.object({ items: z.array(credential), next: z.string().nullable() });
const token = (text: string, provider = 'cloudflare') => ({ kind: 'apiToken', provider, token: text });

export const credentialSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  beforeAll(async () => {
    world = await shared();
  });

  type By = { readonly token: string };
  const create = (company: Company, body: object, by: By = company, more: Ask = {}) =>
    world.ask('POST', `${company.base}/credentials`, { ...more, token: by.token, body });
  const made = async (company: Company, name: string, value: object, more: object = {}) => {
    const answered = await create(company, { name, value, ...more });
    expect(answered.status).toBe(201);
    const written = writtenCredential.parse(answered.body);
    return { ...written, path: `${company.base}/credentials/${written.id}` };
  };
  const post = (path: string, body: object, by: By, more: Ask = {}) =>
    world.ask('POST', path, { ...more, token: by.token, body });
  const caughtUp = async (path: string): Promise<string> =>
    `${path}${path.includes('?') ? '&' : '?'}waitFor=${await world.log.head()}`;
  const list = async (company: Company, by: By = company, query = '') => {
    const answered = await world.ask('GET', await caughtUp(`${company.base}/credentials${query}`), by);
    expect(answered.status).toBe(200);
    return page.parse(answered.body).items;
  };
  const get = async (path: string, by: By) => world.ask('GET', await caughtUp(path), by);

  describe('Every kind', () => {
    test('is created, listed and shown with what may be known of it', async () => {
      const company = await aCompany(world);
      const pair = anSshPair();
      const values = [
        { kind: 'sshKey', userName: 'deploy', privateKey: pair.private },
        { kind: 'sshPassword', userName: 'root', password: 'p-1' },
        token('t-1'),
        { kind: 'registryLogin', registry: 'ghcr.io', userName: 'robot$ci', password: 'p-2' },
        { kind: 'generic', fields: { USER: 'u', KEY: 'k' } },
      ];
      for (const value of values) await made(company, `a ${value.kind}`, value);
      const items = await list(company);
      expect(items.map(({ details }) => details)).toMatchObject([
        {
          kind: 'sshKey',
          userName: 'deploy',
          keyType: 'ssh-ed25519',
          publicKey: pair.public.trim(),
          isGenerated: false,
        },
        { kind: 'sshPassword', userName: 'root' },
        { kind: 'apiToken', provider: 'cloudflare' },
        { kind: 'registryLogin', registry: 'ghcr.io', userName: 'robot$ci' },
        { kind: 'generic', fieldNames: ['KEY', 'USER'] },
      ]);
      expect(await list(company, company, '?kind=registryLogin')).toHaveLength(1);
      expect(items[0]).toMatchObject({ version: 1, departmentId: null, lastUse: null });
    });

    test('of SSH key can be made here: the public key is answered, the private one nowhere', async () => {
      const company = await aCompany(world);
      const { details } = await made(company, 'made here', { kind: 'sshKey', userName: 'deploy', generate: true });
      expect(details).toMatchObject({ kind: 'sshKey', isGenerated: true, keyType: 'ssh-ed25519' });
      expect(details.kind === 'sshKey' && ssh2.utils.parseKey(details.publicKey)).not.toBeInstanceOf(Error);
    });

    test('a request that comes twice creates one, and answers the same also after it was renamed', async () => {
      const company = await aCompany(world);
      const headers = { 'idempotency-key': randomUUID() };
      const body = { name: 'once', value: { kind: 'sshKey', userName: 'deploy', generate: true } };
      const [first, second] = [
        await create(company, body, company, { headers }),
        await create(company, body, company, { headers }),
      ];
      const { id } = writtenCredential.parse(first.body);
      expect(second.body).toEqual(first.body);
      expect((await post(`${company.base}/credentials/${id}/rename`, { name: 'twice' }, company)).status).toBe(200);
      expect((await create(company, body, company, { headers })).body).toEqual(first.body);
      expect(await list(company)).toHaveLength(1);
    });
  });

  describe('A value', () => {
    test('is replaced by the next version; the same again changes nothing; the kind stays', async () => {
      const company = await aCompany(world);
      const { path, digest } = await made(company, 'token', token('one'));
      const second = await post(`${path}/replace`, { value: token('two') }, company);
      expect(second.body).toMatchObject({ version: 2 });
      const again = await post(`${path}/replace`, { value: token('two') }, company);
      expect(again.body).toEqual(second.body);
      expect(writtenCredential.parse(second.body).digest).not.toBe(digest);
      const back = await post(`${path}/replace`, { value: token('one') }, company);
      expect(back.body).toMatchObject({ version: 3, digest });
      const other = await post(
        `${path}/replace`,
        { value: { kind: 'sshPassword', userName: 'u', password: 'p' } },
        company,
      );
      expect(problemOf(other)).toMatchObject({ status: 422, title: 'CredentialKindFixed', field: 'value.kind' });
    });

    test('with If-Match of an older state is refused', async () => {
      const company = await aCompany(world);
      const { path } = await made(company, 'token', token('one'));
      const headers = { 'if-match': 'W/"7"' };
      const refused = await post(`${path}/replace`, { value: token('two') }, company, { headers });
      expect(problemOf(refused).title).toBe('RevisionMismatch');
    });

    test.each([
      ['a key that cannot be read', { privateKey: 'no key' }, 'value.privateKey'],
      ['a key that needs a passphrase', { privateKey: encryptedKey() }, 'value.passphrase'],
      ['a key and another one to be made', { privateKey: 'x', generate: true }, 'value.privateKey'],
      ['no key at all', {}, 'value.privateKey'],
    ])('is refused: %s', async (_what, more, field) => {
      const company = await aCompany(world);
      const refused = await create(company, { name: 'k', value: { kind: 'sshKey', userName: 'deploy', ...more } });
      expect(problemOf(refused).field).toBe(field);
      expect(refused.status).toBeLessThan(500);
      expect(await list(company)).toEqual([]);
    });

    test.each([
      ['an empty token', token('')],
      ['a token with NUL', token('a\0b')],
      ['a token that is no text', token('\ud800')],
      ['a token of more than 8 KiB in UTF-8', token('é'.repeat(4_097))],
      ['an unknown kind', { kind: 'certificate', token: 'x' }],
      [
        'a registry that is a URL',
        { kind: 'registryLogin', registry: 'https://ghcr.io', userName: 'u', password: 'p' },
      ],
      ['a user name with a line break', { kind: 'sshPassword', userName: 'a\nb', password: 'p' }],
      ['no fields', { kind: 'generic', fields: {} }],
      [
        'too many fields',
        { kind: 'generic', fields: Object.fromEntries([...Array(21).keys()].map((n) => [`F${n}`, 'x'])) },
      ],
      [
        'too much in all',
        { kind: 'generic', fields: Object.fromEntries([...Array(5).keys()].map((n) => [`F${n}`, 'x'.repeat(8_000)])) },
      ],
      ['a field with a name that is none', { kind: 'generic', fields: { 'a b': 'x' } }],
    ])('is refused: %s', async (_what, value) => {
      const company = await aCompany(world);
      expect(problemOf(await create(company, { name: 'x', value })).title).toBe('RequestInvalid');
    });
  });

  describe('A name', () => {
    test('is unique in its workspace, whatever its case, and free again after a deletion or a renaming', async () => {
      const company = await aCompany(world);
      const first = await made(company, 'Deploy', token('a'));
      expect(problemOf(await create(company, { name: 'deploy', value: token('b') }))).toMatchObject({
        ...{ status: 409, title: 'NameTaken', field: 'name' },
      });
      await made(await aCompany(world), 'Deploy', token('b'));
      expect((await post(`${first.path}/rename`, { name: 'DEPLOY' }, company)).status).toBe(200);
      expect(problemOf(await create(company, { name: 'deploy', value: token('b') })).title).toBe('NameTaken');
      expect((await post(`${first.path}/rename`, { name: 'Old' }, company)).status).toBe(200);
      const second = await made(company, 'deploy', token('b'));
      expect(problemOf(await post(`${first.path}/rename`, { name: 'Deploy' }, company)).title).toBe('NameTaken');
      expect((await world.ask('DELETE', second.path, company)).status).toBe(204);
      expect((await post(`${first.path}/rename`, { name: 'Deploy' }, company)).body).toMatchObject({ name: 'Deploy' });
      expect((await list(company)).map(({ name }) => name)).toEqual(['Deploy']);
    });

    test('goes back and forth, with two who rename at once, and is never held by two', async () => {
      const company = await aCompany(world);
      const one = await made(company, 'one', token('a'));
      const two = await made(company, 'two', token('b'));
      for (const name of ['swap', 'one', 'swap', 'one']) await post(`${one.path}/rename`, { name }, company);
      await Promise.all(
        [one, two, one, two].map(({ path }, index) => post(`${path}/rename`, { name: `n${index % 2}` }, company)),
      );
      const names = (await list(company)).map(({ name }) => name);
      expect(new Set(names).size).toBe(2);
      const free = ['one', 'two', 'swap', 'n0', 'n1'].filter((name) => !names.includes(name));
      for (const name of free) await made(company, name, token('c'));
    });
  });

  test('A description is given anew', async () => {
    const company = await aCompany(world);
    const { path } = await made(company, 'x', token('a'), { description: 'first' });
    expect((await post(`${path}/describe`, { description: 'second' }, company)).body).toMatchObject({
      description: 'second',
    });
    expect((await get(path, company)).body).toMatchObject({ description: 'second' });
  });

  describe('Who may what', () => {
    test('a member sees names and kinds in his departments, and nothing more; a viewer nothing', async () => {
      const company = await aCompany(world);
      const { departmentId } = company;
      const whole = await made(company, 'of all', token('a'), { description: 'told to administrators' });
      const bound = await made(company, 'of one', token('b'), { departmentId });
      const member = await aMember(world, company, { role: 'MEMBER' });
      const limited = await aMember(world, company, { role: 'MEMBER', departmentIds: [departmentId] });
      const viewer = await aMember(world, company, { role: 'VIEWER' });
      expect(await list(company, member)).toMatchObject([
        { name: 'of all', kind: 'apiToken', description: null, details: null, digest: null },
        { name: 'of one', kind: 'apiToken', description: null, details: null, digest: null },
      ]);
      expect((await list(company, limited)).map(({ name }) => name)).toEqual(['of one']);
      expect(await list(company, limited, `?departmentId=${randomUUID()}`)).toEqual([]);
      expect((await get(bound.path, limited)).status).toBe(200);
      expect(problemOf(await get(whole.path, limited)).title).toBe('CredentialNotFound');
      expect(problemOf(await get(bound.path, viewer)).title).toBe('RoleInsufficient');
      expect(problemOf(await create(company, { name: 'x', value: token('c') }, member)).title).toBe('RoleInsufficient');
      expect(problemOf(await world.ask('DELETE', bound.path, member)).title).toBe('RoleInsufficient');
    });

    test('an administrator of some departments keeps theirs only', async () => {
      const company = await aCompany(world);
      const other = await world.ask('POST', `${company.base}/departments`, {
        ...{ token: company.token, body: { name: 'Other', slug: 'other' } },
      });
      const otherId = String(Object(other.body).id);
      const whole = await made(company, 'of all', token('a'));
      const theirs = await made(company, 'of another', token('a'), { departmentId: otherId });
      const limited = await aMember(world, company, { role: 'ADMIN', departmentIds: [company.departmentId] });
      const body = { name: 'mine', value: token('a') };
      expect(problemOf(await create(company, body, limited)).title).toBe('RoleInsufficient');
      for (const departmentId of [otherId, randomUUID()]) {
        expect(problemOf(await create(company, { ...body, departmentId }, limited))).toMatchObject({
          ...{ title: 'DepartmentNotFound', field: 'departmentId' },
        });
      }
      const own = await create(company, { ...body, departmentId: company.departmentId }, limited);
      expect(own.status).toBe(201);
      for (const { path } of [whole, theirs]) {
        const asked = [
          await post(`${path}/replace`, { value: token('x') }, limited),
          await post(`${path}/rename`, { name: 'x' }, limited),
          await post(`${path}/describe`, { description: 'x' }, limited),
          await world.ask('DELETE', path, limited),
        ];
        expect(asked.map((each) => problemOf(each).title)).toEqual(Array(4).fill('CredentialNotFound'));
      }
    });
  });

  test('What was deleted answers like what never was, but to the request that deleted it', async () => {
    const company = await aCompany(world);
    const { path } = await made(company, 'x', token('a'));
    const headers = { 'idempotency-key': randomUUID() };
    const remove = (more: Ask = {}) => world.ask('DELETE', path, { ...more, token: company.token });
    expect((await remove({ headers })).status).toBe(204);
    expect((await remove({ headers })).status).toBe(204);
    const gone = [
      await remove(),
      await get(path, company),
      await post(`${path}/replace`, { value: token('b') }, company),
      await post(`${path}/rename`, { name: 'y' }, company),
      await post(`${path}/describe`, { description: 'y' }, company),
    ];
    const never = await world.ask('DELETE', `${company.base}/credentials/${randomUUID()}`, company);
    for (const each of gone) {
      expect({ ...problemOf(each), requestId: '' }).toEqual({ ...problemOf(never), requestId: '' });
    }
    expect(await list(company)).toEqual([]);
  });

  test('A value is in no answer, log line or event, whatever goes wrong', async () => {
    const company = await aCompany(world);
    const canary = `canary${randomUUID().replaceAll('-', '')}`;
    const url = `${company.base}/credentials`;
    const headers = { 'content-type': 'application/json' };
    const raw = (text: string, to = url) =>
      world.ask('POST', to, { token: company.token, headers, bytes: new TextEncoder().encode(text) });
    const { path } = await made(company, 'here', { kind: 'generic', fields: { A: canary } });
    const dry = { headers: { prefer: 'dry-run' } };
    const answers = [
      await raw(`{"value": "${canary}"`),
      await raw(JSON.stringify({ name: 'x', value: canary })),
      await raw(JSON.stringify({ name: 'x', value: { kind: canary } })),
      await raw(JSON.stringify({ name: 'x', value: { ...token(canary), provider: 'NOT RIGHT' } })),
      await raw(JSON.stringify({ name: 'x', value: token(canary.repeat(400)) })),
      await raw(JSON.stringify({ name: 'x', value: { kind: 'sshKey', userName: 'u', privateKey: canary } })),
      await raw(JSON.stringify({ name: 'x', value: { kind: 'sshKey', userName: 'u', passphrase: canary } })),
      await raw(JSON.stringify({ name: 'x', value: { kind: 'generic', fields: { 'a b': canary } } })),
      await raw(JSON.stringify({ name: 'x', value: { kind: 'generic', fields: [canary] } })),
      await create(company, { name: 'x', value: token(canary) }, company, dry),
      await create(company, { name: 'here', value: token(canary) }),
      await post(`${path}/replace`, { value: token(canary) }, company),
      await post(`${path}/replace`, { value: { kind: 'generic', fields: { B: canary } } }, company, dry),
      await post(`${path}/replace`, { value: { kind: 'generic', fields: { B: canary } } }, company),
      await world.ask('GET', await caughtUp(url), company),
      await get(path, company),
      await world.ask('GET', await caughtUp(`${company.base}/audit?limit=200`), company),
    ];
    for (const { text, status } of answers) {
      expect(status).toBeLessThan(500);
      expect(text).not.toContain(canary);
    }
    expect(world.logged.join('\n')).not.toContain(canary);
    const events: string[] = [];
    for await (const event of world.log.readAll()) events.push(JSON.stringify([event.data, event.metadata]));
    expect(events.join('\n')).not.toContain(canary);
    expect(events.join('\n')).not.toContain(Buffer.from(canary).toString('base64').slice(4, -4));
  });

  test('Create, replace and delete are of high risk in the audit trail, without the sealed value', async () => {
    const company = await aCompany(world);
    const { path, id } = await made(company, 'x', token('a'));
    await post(`${path}/replace`, { value: token('b') }, company);
    await world.ask('DELETE', path, company);
    const trail = await world.ask('GET', await caughtUp(`${company.base}/audit?resourceId=${id}`), company);
    const { items } = z
      .object({ items: z.array(z.object({ action: z.string(), riskLevel: z.string(), metadata: z.unknown() })) })
      .parse(trail.body);
    expect(items.map(({ action, riskLevel }) => `${action} ${riskLevel}`)).toEqual([
      'credential.CredentialDeleted high',
      'credential.CredentialReplaced high',
      'credential.CredentialCreated high',
    ]);
    expect(items[2]?.metadata).toMatchObject({
      ...{ digest: '[masked]', encryptedData: { iv: '[masked]', tag: '[masked]', data: '[masked]' } },
    });
  });
};

function encryptedKey(): string {
  return anSshPair({ passphrase: 'x', cipher: 'aes256-ctr', rounds: 1 }).private;
}
