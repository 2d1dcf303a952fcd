import { beforeAll, describe, expect, test } from 'vitest';
import * as models from '../../src/api/models.ts';
import { parseToken } from '../../src/commands/tokens.ts';
import { type ApiWorld, aCompany, aMember, type Company, problemOf } from '../support/api.ts';

export const authSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  let company: Company;
  beforeAll(async () => {
    world = await shared();
    company = await aCompany(world);
  });

  const issue = async (body: object, token = company.token) => {
    const answered = await world.ask('POST', `${company.base}/api-tokens`, { token, body });
    return models.issuedApiToken.parse(answered.body);
  };

  describe('Signing in', () => {
    test('answers with a token that stands for the user', async () => {
      const { email, userId } = world.administrator;
      const { body } = await world.ask('GET', '/auth/me', { token: await world.signIn() });
      expect(body).toMatchObject({ kind: 'user', id: userId, email });
    });

    test('takes the address in any case and with spaces around it', async () => {
      const { email, password } = world.administrator;
      const body = { email: ` ${email.toUpperCase()} `, password };
      expect((await world.ask('POST', '/auth/sessions', { body })).status).toBe(201);
    });

    test('answers a wrong password and an unknown address alike', async () => {
      const wrong = await world.ask('POST', '/auth/sessions', {
        body: { email: world.administrator.email, password: 'not the password' },
      });
      const unknown = await world.ask('POST', '/auth/sessions', {
        body: { email: 'nobody@example.com', password: 'not the password' },
      });
      expect(wrong.status).toBe(401);
      expect({ ...problemOf(wrong), requestId: '' }).toEqual({ ...problemOf(unknown), requestId: '' });
      expect(wrong.headers.get('www-authenticate')).toBe('Bearer');
    });

    test('gives the same token to a retry with the same key, and refuses the key for other credentials', async () => {
      const { email, password } = world.administrator;
      const headers = { 'idempotency-key': 'sign-in-1' };
      const first = await world.ask('POST', '/auth/sessions', { body: { email, password }, headers });
      const retry = await world.ask('POST', '/auth/sessions', { body: { email, password }, headers });
      expect(retry.body).toEqual(first.body);
      const { email: other } = await aMember(world, company, { role: 'VIEWER' });
      const others = await world.ask('POST', '/auth/sessions', { body: { email: other, password }, headers });
      expect(others.body).toMatchObject({ title: 'CredentialsInvalid' });
    });

    test('leaves neither token nor password in the log of events or of the program', async () => {
      const { email, password } = world.administrator;
      const signedIn = await world.ask('POST', '/auth/sessions', { body: { email, password } });
      const { token } = models.openedSession.parse(signedIn.body);
      const secret = token.slice(36, 76);
      for await (const event of world.log.readAll()) {
        const text = JSON.stringify([event.data, event.metadata]);
        expect(text).not.toContain(secret);
        expect(text).not.toContain(password);
      }
      expect(world.logged.join('\n')).not.toContain(secret);
      expect(world.logged.join('\n')).not.toContain(password);
    });
  });

  describe('A bearer token', () => {
    test.each([
      ['none', undefined],
      ['another scheme', 'Basic YWRtaW46YWRtaW4='],
      ['nonsense', 'Bearer nonsense'],
      ['an empty one', 'Bearer '],
      ['one of the right shape that was never issued', `Bearer ops_${'0'.repeat(72)}00000000`],
    ])('that is %s is refused with one answer', async (_what, authorization) => {
      const answered = await world.ask('GET', '/auth/me', {
        headers: authorization === undefined ? {} : { authorization },
      });
      expect(problemOf(answered)).toMatchObject({ title: 'AuthenticationRequired', status: 401 });
    });

    test('with one changed digit is refused, wherever the digit is', async () => {
      const token = await world.signIn();
      for (const index of [5, 20, 40, 60, 75, 83]) {
        const changed = `${token.slice(0, index)}${token[index] === '0' ? '1' : '0'}${token.slice(index + 1)}`;
        expect((await world.ask('GET', '/auth/me', { token: changed })).status).toBe(401);
      }
    });

    test('with the right id and a valid checksum but another secret is refused', async () => {
      const { mintToken } = await import('../../src/commands/tokens.ts');
      const { id = '' } = parseToken(await world.signIn()) ?? {};
      const { token } = mintToken(new Uint8Array(32), 'session', id);
      expect(parseToken(token)?.id).toBe(id);
      expect((await world.ask('GET', '/auth/me', { token })).status).toBe(401);
    });

    test('is worth nothing after signing out', async () => {
      const token = await world.signIn();
      expect((await world.ask('DELETE', '/auth/sessions', { token })).status).toBe(204);
      expect((await world.ask('GET', '/auth/me', { token })).status).toBe(401);
    });

    test('of a session is worth nothing after twelve hours', async () => {
      const token = await world.signIn();
      world.travel(12 * 60 * 60 * 1000 - 60_000);
      expect((await world.ask('GET', '/auth/me', { token })).status).toBe(200);
      world.travel(12 * 60 * 60 * 1000 + 1_000);
      expect((await world.ask('GET', '/auth/me', { token })).status).toBe(401);
      world.travel(0);
    });
  });

  describe('A password', () => {
    test('changes for whoever knows the old one, and a retry is recognised', async () => {
      const { email, token, password } = await aMember(world, company, { role: 'VIEWER' });
      const wrong = await world.ask('POST', '/auth/password', {
        token,
        body: { currentPassword: 'a wrong password', newPassword: 'a new long password' },
      });
      expect(problemOf(wrong)).toMatchObject({ title: 'CredentialsInvalid', field: 'currentPassword' });
      const common = { currentPassword: password, newPassword: 'Qwertyuiop123' };
      const refused = await world.ask('POST', '/auth/password', { token, body: common });
      expect(problemOf(refused)).toMatchObject({ title: 'PasswordRefused', field: 'newPassword' });
      const change = {
        token,
        body: { currentPassword: password, newPassword: 'the second password' },
        headers: { 'idempotency-key': 'change-1' },
      };
      expect((await world.ask('POST', '/auth/password', change)).status).toBe(204);
      expect((await world.ask('POST', '/auth/password', change)).status).toBe(204);
      const old = { email, password };
      expect((await world.ask('POST', '/auth/sessions', { body: old })).status).toBe(401);
      const fresh = { ...old, password: 'the second password' };
      expect((await world.ask('POST', '/auth/sessions', { body: fresh })).status).toBe(201);
    });
  });

  describe('An API token', () => {
    test('acts in its own workspace with its own role, until it is revoked', async () => {
      const { id, token } = await issue({ name: 'CI', role: 'MEMBER' });
      const other = await issue({ name: 'Other', role: 'VIEWER' });
      expect((await world.ask('GET', '/auth/me', { token })).body).toMatchObject({
        kind: 'apiToken',
        id,
        role: 'MEMBER',
      });
      const elsewhere = await aCompany(world);
      expect(problemOf(await world.ask('GET', elsewhere.base, { token })).title).toBe('WorkspaceNotFound');
      expect((await world.ask('GET', company.base, { token })).status).toBe(200);
      const denied = await world.ask('POST', `${company.base}/departments`, { token, body: { name: 'X', slug: 'x' } });
      expect(problemOf(denied)).toMatchObject({ title: 'RoleInsufficient', status: 403 });
      const revoked = await world.ask('DELETE', `${company.base}/api-tokens/${id}`, { token: company.token });
      expect(problemOf(await world.ask('DELETE', '/auth/sessions', { token: other.token })).title).toBe(
        'SessionNotFound',
      );
      expect(revoked.status).toBe(204);
      expect((await world.ask('GET', company.base, { token })).status).toBe(401);
    });

    test('limited to a department sees no other', async () => {
      const other = await world.ask('POST', `${company.base}/departments`, {
        token: company.token,
        body: { name: 'Other', slug: 'other-for-token' },
      });
      const otherId = models.department.parse(other.body).id;
      const { token } = await issue({ name: 'CI', role: 'MEMBER', departmentId: company.departmentId });
      expect((await world.ask('GET', `${company.base}/departments/${company.departmentId}`, { token })).status).toBe(
        200,
      );
      const hidden = await world.ask('GET', `${company.base}/departments/${otherId}`, { token });
      expect(problemOf(hidden).title).toBe('DepartmentNotFound');
      const position = other.headers.get('opslog-position') ?? '';
      const list = await world.ask('GET', `${company.base}/departments?waitFor=${position}`, { token });
      expect(list.body).toMatchObject({ items: [{ id: company.departmentId }] });
    });

    test('expires when it was said to', async () => {
      const { token } = await issue({ name: 'Short', role: 'VIEWER', expiresInDays: 1 });
      world.travel(24 * 60 * 60 * 1000 + 1_000);
      expect((await world.ask('GET', company.base, { token })).status).toBe(401);
      world.travel(0);
      expect((await world.ask('GET', company.base, { token })).status).toBe(200);
    });

    test('gives out no token that outlives it', async () => {
      const { token } = await issue({ name: 'Short', role: 'ADMIN', expiresInDays: 2 });
      const give = (expiry: object) =>
        world.ask('POST', `${company.base}/api-tokens`, { token, body: { name: 'Child', role: 'VIEWER', ...expiry } });
      expect(problemOf(await give({}))).toMatchObject({ title: 'RoleInsufficient', field: 'expiresInDays' });
      expect(problemOf(await give({ expiresInDays: 3 }))).toMatchObject({ title: 'RoleInsufficient' });
      expect((await give({ expiresInDays: 1 })).status).toBe(201);
    });

    test('is shown once: the list of tokens has none of it', async () => {
      const { id, token } = await issue({ name: 'Hidden', role: 'VIEWER' });
      const position = String(await world.log.head());
      const list = await world.ask('GET', `${company.base}/api-tokens?limit=200&waitFor=${position}`, {
        token: company.token,
      });
      expect(list.text).toContain(id);
      expect(list.text).not.toContain(token.slice(36));
    });
  });

  describe('Roles', () => {
    test('nobody grants more than he has, and only an OWNER deals with an OWNER', async () => {
      const admin = await aMember(world, company, { role: 'ADMIN' });
      const owner = await aMember(world, company, { role: 'OWNER' });
      const asAdmin = (method: string, path: string, body?: object) =>
        world.ask(method, `${company.base}${path}`, { token: admin.token, body });
      const refused = [
        await asAdmin('POST', '/invitations', { email: 'new@example.com', role: 'OWNER' }),
        await asAdmin('PATCH', `/members/${owner.userId}`, { role: 'VIEWER' }),
        await asAdmin('PATCH', `/members/${admin.userId}`, { role: 'OWNER' }),
        await asAdmin('DELETE', `/members/${owner.userId}`),
        await asAdmin('POST', '/api-tokens', { name: 'x', role: 'OWNER' }),
      ];
      for (const answered of refused) expect(problemOf(answered).title).toBe('RoleInsufficient');
    });

    test('a member who is limited to departments grants no more than those', async () => {
      const { departmentId } = company;
      const limited = await aMember(world, company, { role: 'ADMIN', departmentIds: [departmentId] });
      const everywhere = await world.ask('POST', `${company.base}/api-tokens`, {
        token: limited.token,
        body: { name: 'x', role: 'MEMBER' },
      });
      expect(problemOf(everywhere).title).toBe('RoleInsufficient');
      const own = await world.ask('POST', `${company.base}/api-tokens`, {
        token: limited.token,
        body: { name: 'x', role: 'MEMBER', departmentId },
      });
      expect(own.status).toBe(201);
      const created = await world.ask('POST', `${company.base}/departments`, {
        token: limited.token,
        body: { name: 'New', slug: 'new-by-limited' },
      });
      expect(problemOf(created).title).toBe('RoleInsufficient');
    });

    test('a workspace keeps an OWNER who is limited to no department', async () => {
      const own = await aCompany(world);
      const { departmentId, token } = own;
      await aMember(world, own, { role: 'OWNER', departmentIds: [departmentId] });
      const path = `${own.base}/members/${world.administrator.userId}`;
      const lost = [
        await world.ask('PATCH', path, { token, body: { role: 'OWNER', departmentIds: [departmentId] } }),
        await world.ask('PATCH', path, { token, body: { role: 'ADMIN' } }),
        await world.ask('DELETE', path, { token }),
      ];
      for (const answered of lost) expect(problemOf(answered).title).toBe('LastOwnerRequired');
      const second = await aMember(world, own, { role: 'OWNER' });
      expect((await world.ask('DELETE', path, { token: second.token })).status).toBe(204);
    });

    test('what a role lost is lost at once', async () => {
      const admin = await aMember(world, company, { role: 'ADMIN' });
      const path = `${company.base}/members/${admin.userId}`;
      const demoted = await world.ask('PATCH', path, { token: company.token, body: { role: 'VIEWER' } });
      expect(demoted.status).toBe(200);
      expect(problemOf(await world.ask('GET', `${company.base}/api-tokens`, admin)).title).toBe('RoleInsufficient');
      expect((await world.ask('DELETE', path, { token: company.token })).status).toBe(204);
      expect(problemOf(await world.ask('GET', company.base, admin)).title).toBe('WorkspaceNotFound');
    });

    test('a viewer reads and changes nothing', async () => {
      const viewer = await aMember(world, company, { role: 'VIEWER' });
      expect((await world.ask('GET', company.base, viewer)).status).toBe(200);
      for (const path of ['revisions', 'deployments', 'rollback', 'pause', 'resume']) {
        const answered = await world.ask('POST', `${company.worker}/${path}`, { token: viewer.token });
        expect(problemOf(answered).title).toBe('RoleInsufficient');
      }
    });
  });
};
