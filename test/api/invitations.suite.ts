import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import * as invitationModels from '../../src/api/invitationModels.ts';
import * as models from '../../src/api/models.ts';
import { mintToken } from '../../src/commands/tokens.ts';
import { type ApiWorld, aCompany, aMember, anInvitation, type Company, problemOf } from '../support/api.ts';

export const invitationSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  let company: Company;
  beforeAll(async () => {
    world = await shared();
    company = await aCompany(world);
  });

  const someone = (): string => `${randomUUID()}@example.com`;
  const password = 'a password that is mine';
  const register = (token: string, over: object = {}) =>
    world.ask('POST', '/auth/invitations/register', { body: { token, displayName: 'Ada', password, ...over } });
  const accept = (token: string, as: { readonly token: string }) =>
    world.ask('POST', '/auth/invitations/accept', { token: as.token, body: { token } });
  const show = (token: string) => world.ask('POST', '/auth/invitations/show', { body: { token } });
  const signInAs = async (email: string) => {
    const { body } = await world.ask('POST', '/auth/sessions', { body: { email, password } });
    return models.openedSession.parse(body);
  };
  const membersNow = async (of: Company): Promise<string> =>
    (await world.ask('GET', `${of.base}/members?limit=200&waitFor=${await world.log.head()}`, of)).text;
  const anonymous = (answered: Awaited<ReturnType<typeof show>>) => ({ ...problemOf(answered), requestId: '' });

  describe('An invitation', () => {
    test('makes a person who is new a member, under a password that nobody else knows', async () => {
      const email = someone();
      const { token, id } = await anInvitation(world, company, { email, role: 'MEMBER' });
      expect(token).toMatch(/^opi_[0-9a-f]{80}$/);
      const shown = await show(token);
      expect(shown.body).toMatchObject({ workspaceId: company.workspaceId, email, role: 'MEMBER', hasAccount: false });
      expect((await register(token)).body).toMatchObject({ email, role: 'MEMBER', workspaceId: company.workspaceId });
      const session = await signInAs(email);
      expect((await world.ask('GET', company.base, session)).body).toMatchObject({ role: 'MEMBER' });
      const list = await world.ask('GET', `${company.base}/invitations?limit=200&waitFor=${await world.log.head()}`, {
        token: company.token,
      });
      const { items } = models.pageOf(invitationModels.invitation, 'Page').parse(list.body);
      expect(items.find((each) => each.id === id)).toMatchObject({ email, status: 'accepted' });
      expect(list.text).not.toContain(token.slice(36));
    });

    test('makes somebody who has an account a member of another workspace, once, however often it is accepted', async () => {
      const member = await aMember(world, await aCompany(world), { role: 'VIEWER' });
      const { token } = await anInvitation(world, company, { email: member.email, role: 'ADMIN' });
      expect((await show(token)).body).toMatchObject({ hasAccount: true });
      const first = await accept(token, member);
      expect(first.body).toMatchObject({ userId: member.userId, role: 'ADMIN' });
      const held = await world.holdings();
      expect((await accept(token, member)).body).toEqual(first.body);
      expect(await world.holdings()).toEqual(held);
      expect((await membersNow(company)).split(member.userId)).toHaveLength(2);
    });

    test('tells whoever holds it to sign in first when the address has an account, and changes nothing', async () => {
      const member = await aMember(world, await aCompany(world), { role: 'VIEWER' });
      const { token } = await anInvitation(world, company, { email: member.email, role: 'VIEWER' });
      const before = await world.holdings();
      expect(problemOf(await register(token))).toMatchObject({ title: 'SignInRequired', status: 409 });
      expect(await world.holdings()).toEqual(before);
      expect((await accept(token, member)).status).toBe(200);
    });

    test('says nothing of whether the address has an account to whoever invites', async () => {
      const member = await aMember(world, await aCompany(world), { role: 'VIEWER' });
      const shapeOf = async (email: string) => {
        const answered = await world.ask('POST', `${company.base}/invitations`, {
          token: company.token,
          body: { email, role: 'VIEWER' },
        });
        return {
          status: answered.status,
          keys: Object.keys(Object(answered.body)),
          size: answered.text.length - email.length,
        };
      };
      expect(await shapeOf(member.email)).toEqual(await shapeOf(someone()));
    });

    test('is registered under no password that everybody tries first', async () => {
      const email = someone();
      const { token } = await anInvitation(world, company, { email, role: 'VIEWER' });
      for (const weak of [email.toUpperCase(), 'Password1234']) {
        const answered = await register(token, { password: weak });
        expect(problemOf(answered)).toMatchObject({ title: 'PasswordRefused', status: 422, field: 'password' });
      }
      expect((await register(token)).status).toBe(201);
    });

    test('is for its address alone', async () => {
      const member = await aMember(world, await aCompany(world), { role: 'VIEWER' });
      const { token } = await anInvitation(world, company, { email: someone(), role: 'OWNER' });
      expect(problemOf(await accept(token, member))).toMatchObject({ title: 'InvitationAddressDiffers' });
      expect(await membersNow(company)).not.toContain(member.userId);
    });

    test('is accepted by no API token', async () => {
      const issued = await world.ask('POST', `${company.base}/api-tokens`, {
        token: company.token,
        body: { name: 'CI', role: 'MEMBER' },
      });
      const { token } = await anInvitation(world, company, { email: someone(), role: 'VIEWER' });
      const answered = await accept(token, models.issuedApiToken.parse(issued.body));
      expect(problemOf(answered).title).toBe('RoleInsufficient');
    });

    test('is no bearer token', async () => {
      const { token } = await anInvitation(world, company, { email: someone(), role: 'OWNER' });
      expect((await world.ask('GET', '/auth/me', { token })).status).toBe(401);
    });

    test('that is unknown, malformed, revoked, used, expired or of a deleted workspace answers alike', async () => {
      const doomed = await aCompany(world);
      const gone = await anInvitation(world, doomed, { email: someone(), role: 'VIEWER' });
      const { body } = await world.ask('GET', doomed.base, doomed);
      const { slug } = models.workspace.parse(body);
      await world.ask('DELETE', doomed.base, { token: doomed.token, body: { confirm: slug } });
      const used = await anInvitation(world, company, { email: someone(), role: 'VIEWER' });
      expect((await register(used.token)).status).toBe(201);
      const revoked = await anInvitation(world, company, { email: someone(), role: 'VIEWER' });
      const revoking = () => world.ask('DELETE', `${company.base}/invitations/${revoked.id}`, { token: company.token });
      expect([(await revoking()).status, (await revoking()).status]).toEqual([204, 204]);
      const forged = mintToken(new Uint8Array(32), 'invitation', revoked.id).token;
      const expired = await anInvitation(world, company, { email: someone(), role: 'VIEWER', expiresInDays: 1 });
      world.travel(24 * 60 * 60 * 1000 + 1_000);
      const late = [await register(expired.token), await show(expired.token)];
      world.travel(0);
      const others = { password: 'another password of mine' };
      const answers = [
        ...late,
        ...[await register(gone.token), await register(revoked.token), await register(used.token, others)],
        ...[await register(forged), await register('nonsense'), await show(used.token), await show('opi_nonsense')],
      ];
      const [first] = answers.map(anonymous);
      expect(first).toMatchObject({ title: 'InvitationNotFound', status: 404 });
      for (const each of answers) expect({ ...anonymous(each), detail: '' }).toEqual({ ...first, detail: '' });
      const answer = await world.ask('DELETE', `${company.base}/invitations/${used.id}`, { token: company.token });
      expect(problemOf(answer)).toMatchObject({ title: 'InvitationSettled', status: 409 });
    });

    test('is worth nothing once whoever gave it may no longer give it', async () => {
      const own = await aCompany(world);
      const admin = await aMember(world, own, { role: 'ADMIN' });
      const asAdmin = { ...own, token: admin.token };
      const demoted = await anInvitation(world, asAdmin, { email: someone(), role: 'VIEWER' });
      const path = `${own.base}/members/${admin.userId}`;
      await world.ask('PATCH', path, { token: own.token, body: { role: 'MEMBER' } });
      expect(problemOf(await register(demoted.token)).title).toBe('InvitationNotFound');
      await world.ask('PATCH', path, { token: own.token, body: { role: 'ADMIN' } });
      const removed = await anInvitation(world, asAdmin, { email: someone(), role: 'VIEWER' });
      await world.ask('DELETE', path, { token: own.token });
      expect(problemOf(await register(removed.token)).title).toBe('InvitationNotFound');
      expect(await membersNow(own)).not.toContain('VIEWER');
    });

    test('leaves neither token nor password in the log of events or of the program', async () => {
      const { token } = await anInvitation(world, company, { email: someone(), role: 'VIEWER' });
      await register(token, { password: 'unmistakable words' });
      for await (const event of world.log.readAll()) {
        const text = JSON.stringify([event.data, event.metadata]);
        expect(text).not.toContain(token.slice(36));
        expect(text).not.toContain('unmistakable words');
      }
      expect(world.logged.join('\n')).not.toContain(token.slice(36));
    });
  });

  describe('Who is limited to departments', () => {
    test('invites to those alone, and sees the invitations that concern them', async () => {
      const own = await aCompany(world);
      const { departmentId } = own;
      const limited = await aMember(world, own, { role: 'ADMIN', departmentIds: [departmentId] });
      const as = { ...own, token: limited.token };
      const everywhere = await world.ask('POST', `${own.base}/invitations`, {
        token: limited.token,
        body: { email: someone(), role: 'VIEWER' },
      });
      expect(problemOf(everywhere).title).toBe('RoleInsufficient');
      const wide = await anInvitation(world, own, { email: someone(), role: 'VIEWER' });
      const mine = await anInvitation(world, as, { email: someone(), role: 'VIEWER', departmentIds: [departmentId] });
      const list = await world.ask('GET', `${own.base}/invitations?waitFor=${await world.log.head()}`, limited);
      expect(list.text).toContain(mine.id);
      expect(list.text).not.toContain(wide.id);
      const revoking = await world.ask('DELETE', `${own.base}/invitations/${wide.id}`, { token: limited.token });
      expect(problemOf(revoking).title).toBe('RoleInsufficient');
      expect((await register(mine.token)).body).toMatchObject({ departmentIds: [departmentId] });
    });
  });
};
