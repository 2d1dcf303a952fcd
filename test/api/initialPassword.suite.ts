import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import * as models from '../../src/api/models.ts';
import { resetPassword } from '../../src/commands/operatorUsers.ts';
import { initialPasswordMs } from '../../src/commands/passwordRules.ts';
import { createPasswords } from '../../src/platform/password/argon2.ts';
import { type ApiWorld, aCompany, aMember, anInvitation, type Company, problemOf } from '../support/api.ts';

/** Passwords that the program made. */
export const initialPasswordSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  let company: Company;
  beforeAll(async () => {
    world = await shared();
    company = await aCompany(world);
  });

  const reset = async (email: string, madeAgo = 0): Promise<string> => {
    const clock = { now: () => Date.now() - madeAgo };
    const deps = { aggregates: world.aggregates, passwords: createPasswords(), secretKey: new Uint8Array(32), clock };
    return (await resetPassword(deps, email, randomUUID()))?.password ?? '';
  };
  const signIn = (email: string, password: string) =>
    world.ask('POST', '/auth/sessions', { body: { email, password } });
  const sessionOf = async (email: string, password: string) =>
    models.openedSession.parse((await signIn(email, password)).body);

  describe('Whoever signed in with a password that the program made', () => {
    test('may see who he is, change it and sign out, and nothing else until it is changed', async () => {
      const { email } = await aMember(world, company, { role: 'ADMIN' });
      const made = await reset(email);
      const session = await sessionOf(email, made);
      expect(session.mustChangePassword).toBe(true);
      const { token } = session;
      expect((await world.ask('GET', '/auth/me', { token })).body).toMatchObject({ email, mustChangePassword: true });
      const refused = [
        await world.ask('GET', '/workspaces', { token }),
        await world.ask('GET', company.base, { token }),
        await world.ask('POST', `${company.base}/departments`, { token, body: { name: 'X', slug: 'x' } }),
        await world.ask('GET', '/auth/sessions', { token }),
        await world.ask('POST', '/auth/sessions/revoke-others', { token }),
      ].map((answered) => problemOf(answered));
      expect(refused.map(({ title, status }) => `${title} ${status}`)).toEqual(
        refused.map(() => 'PasswordChangeRequired 403'),
      );
      const change = (newPassword: string) =>
        world.ask('POST', '/auth/password', { token, body: { currentPassword: made, newPassword } });
      expect(problemOf(await change(made))).toMatchObject({ title: 'PasswordRefused', field: 'newPassword' });
      expect((await change('words of my own choice')).status).toBe(204);
      expect((await world.ask('GET', company.base, { token })).status).toBe(200);
      const later = await sessionOf(email, 'words of my own choice');
      expect(later.mustChangePassword).toBe(false);
      const leaving = await sessionOf(email, 'words of my own choice');
      expect((await world.ask('DELETE', '/auth/sessions', leaving)).status).toBe(204);
    });

    test('may sign out without changing it', async () => {
      const { email } = await aMember(world, company, { role: 'VIEWER' });
      const session = await sessionOf(email, await reset(email));
      expect((await world.ask('DELETE', '/auth/sessions', session)).status).toBe(204);
    });

    test('keeps the API tokens that he gave out, which belong to the workspace', async () => {
      const { email, token } = await aMember(world, company, { role: 'ADMIN' });
      const body = { name: 'CI', role: 'VIEWER' };
      const issued = await world.ask('POST', `${company.base}/api-tokens`, { token, body });
      const ci = models.issuedApiToken.parse(issued.body);
      await reset(email);
      expect((await world.ask('GET', company.base, { token: ci.token })).status).toBe(200);
    });
  });

  describe('A password that the program made and nobody changed in time', () => {
    test('lets nobody in, and only who knows it is told so', async () => {
      const { email } = await aMember(world, company, { role: 'VIEWER' });
      const made = await reset(email, initialPasswordMs + 1_000);
      expect(problemOf(await signIn(email, made))).toMatchObject({ title: 'PasswordExpired', status: 401 });
      expect(problemOf(await signIn(email, 'a wrong password'))).toMatchObject({ title: 'CredentialsInvalid' });
    });

    test('accepts no invitation, expired or not', async () => {
      const { email } = await aMember(world, company, { role: 'VIEWER' });
      const made = await reset(email);
      const other = await aCompany(world);
      const { token } = await anInvitation(world, other, { email, role: 'MEMBER' });
      const body = { token, displayName: 'Ada', password: made };
      const answered = await world.ask('POST', '/auth/invitations/register', { body });
      expect(problemOf(answered)).toMatchObject({ title: 'SignInRequired' });
    });
  });
};
