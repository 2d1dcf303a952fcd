import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as models from '../../src/api/models.ts';
import { mintToken, parseToken } from '../../src/commands/tokens.ts';
import { type ApiWorld, aCompany, aMember, anInvitation, type Company, problemOf } from '../support/api.ts';

const page = z.object({
  items: z.array(
    z.object({ id: z.string(), isCurrent: z.boolean(), userAgent: z.string().nullable(), lastSeenAt: z.string() }),
  ),
});

export const sessionSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  let company: Company;
  beforeAll(async () => {
    world = await shared();
    company = await aCompany(world);
  });

  type Person = Awaited<ReturnType<typeof aMember>>;
  const signIn = async ({ email, password }: Pick<Person, 'email' | 'password'>, headers = {}, door = world) => {
    const { body } = await door.ask('POST', '/auth/sessions', { body: { email, password }, headers });
    return models.openedSession.parse(body);
  };
  const listed = async (token: string) =>
    page.parse((await world.ask('GET', `/auth/sessions?limit=200&waitFor=${await world.log.head()}`, { token })).body)
      .items;
  const statusOf = async (token: string, door = world) => (await door.ask('GET', '/auth/me', { token })).status;
  const someone = (role = 'VIEWER'): Promise<Person> => aMember(world, company, { role });

  describe('Sessions', () => {
    test('are listed for their owner alone, with what the client called itself, cut and masked', async () => {
      const ada = await someone();
      const secret = `Bearer abcdefgh12345678 ${'x'.repeat(500)}`;
      const second = await signIn(ada, { 'user-agent': `Firefox ${secret}` });
      const sessions = await listed(ada.token);
      expect(sessions.map(({ isCurrent }) => isCurrent)).toEqual([true, false]);
      expect(sessions[1]).toMatchObject({
        id: second.id,
        userAgent: expect.stringMatching(/^Firefox Bearer \[masked\] x+$/),
      });
      expect(sessions[1]?.userAgent?.length).toBeLessThanOrEqual(160);
      const other = await someone();
      expect((await listed(other.token)).map(({ id }) => id)).not.toContain(second.id);
    });

    test('end one by one, and nobody ends those of others', async () => {
      const ada = await someone();
      const second = await signIn(ada);
      const end = (token: string, id: string) => world.ask('DELETE', `/auth/sessions/${id}`, { token });
      const others = await end((await someone()).token, second.id);
      const nobodys = await end(ada.token, randomUUID());
      expect({ ...problemOf(others), requestId: '' }).toEqual({ ...problemOf(nobodys), requestId: '' });
      expect(await statusOf(second.token)).toBe(200);
      expect((await end(ada.token, second.id)).status).toBe(204);
      expect(await statusOf(second.token)).toBe(401);
      expect(await listed(ada.token)).toHaveLength(1);
    });

    test('end all but the one that asks, at once and in every process', async () => {
      const ada = await someone();
      const others = [await signIn(ada), await signIn(ada)];
      const elsewhere = await world.behind({});
      for (const { token } of others) expect(await statusOf(token, elsewhere)).toBe(200);
      const ended = await world.ask('POST', '/auth/sessions/revoke-others', { token: ada.token });
      expect(ended.status).toBe(204);
      for (const { token } of others) {
        expect(await statusOf(token)).toBe(401);
        await expect.poll(() => statusOf(token, elsewhere), { timeout: 1_000 }).toBe(401);
      }
      expect(await statusOf(ada.token)).toBe(200);
      expect(await listed(ada.token)).toMatchObject([{ isCurrent: true }]);
      const later = await signIn(ada);
      expect(await statusOf(later.token)).toBe(200);
      await elsewhere.stop();
    });

    test('end with a change of the password, but for the one that asks; API tokens stay', async () => {
      const ada = await someone('ADMIN');
      const issued = await world.ask('POST', `${company.base}/api-tokens`, {
        token: ada.token,
        body: { name: 'CI', role: 'VIEWER' },
      });
      const other = await signIn(ada);
      const body = { currentPassword: ada.password, newPassword: 'a new password of hers' };
      expect((await world.ask('POST', '/auth/password', { token: ada.token, body })).status).toBe(204);
      expect([await statusOf(ada.token), await statusOf(other.token)]).toEqual([200, 401]);
      expect(await statusOf(models.issuedApiToken.parse(issued.body).token)).toBe(200);
    });

    test('belong to people: an API token has none', async () => {
      const issued = await world.ask('POST', `${company.base}/api-tokens`, {
        token: company.token,
        body: { name: 'CI', role: 'VIEWER' },
      });
      const { token } = models.issuedApiToken.parse(issued.body);
      const asked = [
        await world.ask('GET', '/auth/sessions', { token }),
        await world.ask('DELETE', `/auth/sessions/${randomUUID()}`, { token }),
        await world.ask('POST', '/auth/sessions/revoke-others', { token }),
      ];
      for (const answered of asked) expect(problemOf(answered).title).toBe('SessionNotFound');
    });
  });

  describe('Failures of others', () => {
    const narrow = { perSecond: 0.001, burst: 5 };

    test('at the same address keep nobody out whose token is good, and let no forged one read the log', async () => {
      let reads = 0;
      const door = await world.behind({
        limits: { perAddress: narrow },
        aroundLog: (log) => ({
          ...log,
          readStream: (...args) => {
            reads += 1;
            return log.readStream(...args);
          },
        }),
      });
      const { token } = await signIn(await someone(), {}, door);
      for (let index = 0; index < 6; index += 1) await statusOf('x', door);
      expect(await statusOf('x', door)).toBe(429);
      expect(await statusOf(token, door)).toBe(200);
      const { id = '' } = parseToken(token) ?? {};
      const before = reads;
      expect(await statusOf(mintToken(new Uint8Array(32), 'session', id).token, door)).toBe(429);
      expect(await statusOf(mintToken(new Uint8Array(32), 'session', randomUUID()).token, door)).toBe(429);
      expect(reads).toBe(before);
      await door.stop();
    });

    test('to sign in keep nobody from changing the password with a session', async () => {
      const door = await world.behind({ limits: { signIn: narrow, signInPerEmail: narrow, passwordChange: narrow } });
      const ada = await someone();
      for (let index = 0; index < 8; index += 1) {
        await door.ask('POST', '/auth/sessions', { body: { email: ada.email, password: 'a guess' } });
      }
      const change = (currentPassword: string) =>
        door.ask('POST', '/auth/password', {
          token: ada.token,
          body: { currentPassword, newPassword: 'another long password' },
        });
      expect((await change(ada.password)).status).toBe(204);
      const guesses = [];
      for (let index = 0; index < 6; index += 1) guesses.push((await change('a guess')).status);
      expect(guesses).toEqual([401, 401, 401, 401, 429, 429]);
      await door.stop();
    });

    test('count, and what succeeds does not: an address with many people lets them all in', async () => {
      const door = await world.behind({ limits: { signIn: narrow, signInPerEmail: narrow } });
      const ada = await someone();
      for (let index = 0; index < 12; index += 1) expect((await signIn(ada, {}, door)).token).toMatch(/^ops_/);
      await door.stop();
    });

    test('are held back alike whether or not somebody has the address', async () => {
      const ada = await someone();
      const told = async (email: string) => {
        const door = await world.behind({ limits: { signIn: { perSecond: 1, burst: 100 }, signInPerEmail: narrow } });
        const statuses = [];
        for (let index = 0; index < 8; index += 1) {
          const answered = await door.ask('POST', '/auth/sessions', { body: { email, password: 'a guess' } });
          statuses.push([answered.status, problemOf(answered).title, [...answered.headers.keys()].join()]);
        }
        await door.stop();
        return statuses;
      };
      expect(await told(ada.email)).toEqual(await told(`${randomUUID()}@example.com`));
    });
  });

  describe('Rights that change', () => {
    test('change in every process within a second: of members, their sessions and their tokens', async () => {
      const own = await aCompany(world);
      const admin = await aMember(world, own, { role: 'ADMIN' });
      const issue = async (token: string, body: object) =>
        models.issuedApiToken.parse((await world.ask('POST', `${own.base}/api-tokens`, { token, body })).body);
      const high = await issue(admin.token, { name: 'high', role: 'ADMIN' });
      const low = await issue(admin.token, { name: 'low', role: 'VIEWER' });
      const child = await issue(high.token, { name: 'child', role: 'VIEWER' });
      const elsewhere = await world.behind({});
      const seen = async (token: string) => (await elsewhere.ask('GET', own.base, { token })).status;
      for (const { token } of [admin, high, low, child]) expect(await seen(token)).toBe(200);
      const path = `${own.base}/members/${admin.userId}`;
      await world.ask('PATCH', path, { token: own.token, body: { role: 'VIEWER' } });
      const within = { timeout: 1_000 };
      await expect.poll(() => seen(high.token), within).toBe(401);
      await expect.poll(() => seen(child.token), within).toBe(401);
      expect(await seen(low.token)).toBe(200);
      const denied = () => elsewhere.ask('GET', `${own.base}/api-tokens`, admin).then(({ status }) => status);
      await expect.poll(denied, within).toBe(403);
      await world.ask('DELETE', path, { token: own.token });
      await expect.poll(() => seen(admin.token), within).toBe(404);
      await expect.poll(() => seen(low.token), within).toBe(401);
      await elsewhere.stop();
    });

    test('a member leaves, and the last OWNER stays', async () => {
      const own = await aCompany(world);
      const member = await aMember(world, own, { role: 'MEMBER' });
      const leave = (token: string) => world.ask('POST', `${own.base}/leave`, { token });
      expect((await leave(member.token)).status).toBe(204);
      expect(problemOf(await world.ask('GET', own.base, member)).title).toBe('WorkspaceNotFound');
      expect(problemOf(await leave(own.token)).title).toBe('LastOwnerRequired');
      await aMember(world, own, { role: 'OWNER' });
      expect((await leave(own.token)).status).toBe(204);
    });

    test('whoever is limited to departments sees the members and tokens of those', async () => {
      const own = await aCompany(world);
      const { departmentId } = own;
      const made = await world.ask('POST', `${own.base}/departments`, {
        token: own.token,
        body: { name: 'Other', slug: 'other' },
      });
      const otherId = models.department.parse(made.body).id;
      const limited = await aMember(world, own, { role: 'ADMIN', departmentIds: [departmentId] });
      const both = await aMember(world, own, { role: 'MEMBER', departmentIds: [departmentId, otherId] });
      const foreign = await aMember(world, own, { role: 'MEMBER', departmentIds: [otherId] });
      const issue = async (body: object) =>
        models.issuedApiToken.parse(
          (await world.ask('POST', `${own.base}/api-tokens`, { token: own.token, body })).body,
        ).id;
      const mine = await issue({ name: 'mine', role: 'VIEWER', departmentId });
      const theirs = await issue({ name: 'theirs', role: 'VIEWER', departmentId: otherId });
      const wide = await issue({ name: 'wide', role: 'VIEWER' });
      const head = await world.log.head();
      const members = await world.ask('GET', `${own.base}/members?limit=200&waitFor=${head}`, limited);
      for (const id of [limited.userId, both.userId, world.administrator.userId]) expect(members.text).toContain(id);
      for (const id of [foreign.userId, otherId]) expect(members.text).not.toContain(id);
      const tokens = await world.ask('GET', `${own.base}/api-tokens?limit=200&waitFor=${head}`, limited);
      expect(tokens.text).toContain(mine);
      for (const id of [theirs, wide]) expect(tokens.text).not.toContain(id);
    });
  });

  describe('An API token in the list', () => {
    test('shows when it was last used, and that it ends soon', async () => {
      const own = await aCompany(world);
      const issue = async (body: object) =>
        models.issuedApiToken.parse(
          (await world.ask('POST', `${own.base}/api-tokens`, { token: own.token, body })).body,
        );
      const used = await issue({ name: 'used', role: 'VIEWER', expiresInDays: 14 });
      const unused = await issue({ name: 'unused', role: 'VIEWER', expiresInDays: 15 });
      const endless = await issue({ name: 'endless', role: 'VIEWER' });
      await world.ask('GET', own.base, used);
      await world.ask('GET', own.base, used);
      const shown = async () => {
        const list = await world.ask('GET', `${own.base}/api-tokens?waitFor=${await world.log.head()}`, own);
        return models.pageOf(models.apiToken, 'Page').parse(list.body).items;
      };
      await expect
        .poll(async () => (await shown()).find(({ id }) => id === used.id)?.lastUsedAt)
        .toEqual(expect.any(String));
      expect(await shown()).toMatchObject([
        { id: used.id, expiresSoon: true },
        { id: unused.id, expiresSoon: false, lastUsedAt: null },
        { id: endless.id, expiresSoon: false, lastUsedAt: null },
      ]);
      let uses = 0;
      for await (const { type } of world.log.readStream(`apiToken-${used.id}`)) if (type === 'ApiTokenUsed') uses += 1;
      expect(uses).toBe(1);
    });
  });

  describe('Workspaces', () => {
    test('are founded by the administrator alone where the operator says so', async () => {
      const door = await world.behind({ mayCreateWorkspace: (userId) => userId === world.administrator.userId });
      const slug = `w-${randomUUID()}`;
      const create = (token: string) => door.ask('POST', '/workspaces', { token, body: { name: 'W', slug } });
      expect(problemOf(await create((await someone('OWNER')).token)).title).toBe('RoleInsufficient');
      expect((await create(await door.signIn())).status).toBe(201);
      await door.stop();
    });
  });

  test('An invitation opens no session by itself', async () => {
    const { token } = await anInvitation(world, company, { email: `${randomUUID()}@example.com`, role: 'VIEWER' });
    expect(await statusOf(token)).toBe(401);
  });
};
