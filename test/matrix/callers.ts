import { randomUUID } from 'node:crypto';
import * as models from '../../src/api/models.ts';
import { type ApiWorld, aMember } from '../support/api.ts';
import type { Role } from './document.ts';
import { type FullWorkspace, idOf, must, sessionOf } from './fullWorkspace.ts';

/**
 * Everybody who may ask: with every role, everywhere or limited to the department that the ids belong to (`here`) or to
 * another one (`elsewhere`), by session and by API token; strangers; and those whom nobody knows.
 */
type Asking = { readonly name: string; readonly token: string | undefined; readonly by: 'session' | 'apiToken' };
/** Ids of what is the caller's alone. */
export const personalIds = ({ by, standing, token }: Caller): Readonly<Record<string, string>> =>
  by === 'session' && standing !== 'unknown' && token !== undefined ? { sessionId: sessionOf(token) } : {};

type Member = { readonly role: Role; readonly reach: 'everywhere' | 'here' | 'elsewhere' };
export type Caller =
  | (Asking & Member & { readonly standing: 'member' })
  | (Asking & { readonly standing: 'stranger' })
  | (Asking & { readonly standing: 'unknown' });

const roles: readonly Role[] = ['OWNER', 'ADMIN', 'MEMBER', 'VIEWER'];

type Places = {
  readonly own: FullWorkspace;
  readonly elsewhereId: string;
  /** Somebody who owns another workspace and is nothing in `own`, and that workspace. */
  readonly stranger: { readonly token: string; readonly base: string };
};

const issue = async (world: ApiWorld, token: string, base: string, body: object) => {
  const answered = await must(world, 'POST', `${base}/api-tokens`, { token, body: { name: 'Caller', ...body } });
  return models.issuedApiToken.parse(answered.body);
};

export const everyCaller = async (
  world: ApiWorld,
  { own, elsewhereId, stranger }: Places,
): Promise<readonly Caller[]> => {
  const company = { ...own, workspaceId: own.ids.workspaceId, departmentId: own.ids.departmentId, worker: '' };
  const reaches = [
    { reach: 'everywhere', departmentId: undefined },
    { reach: 'here', departmentId: own.ids.departmentId },
    { reach: 'elsewhere', departmentId: elsewhereId },
  ] as const;
  const members = roles.flatMap((role) =>
    reaches.map(async ({ reach, departmentId }): Promise<readonly Caller[]> => {
      const limits = departmentId === undefined ? [] : [departmentId];
      const { token } = await aMember(world, company, { role, departmentIds: limits });
      const issued = await issue(world, own.token, own.base, { role, departmentId });
      const rights = { standing: 'member', role, reach } as const;
      return [
        { name: `${role} ${reach}`, token, by: 'session', ...rights },
        { name: `API token ${role} ${reach}`, token: issued.token, by: 'apiToken', ...rights },
      ];
    }),
  );
  const strange = await issue(world, stranger.token, stranger.base, { role: 'OWNER' });
  const revoked = await issue(world, own.token, own.base, { role: 'OWNER' });
  await must(world, 'DELETE', `${own.base}/api-tokens/${revoked.id}`, { token: own.token });
  const left = await aMember(world, company, { role: 'OWNER' });
  await must(world, 'DELETE', '/auth/sessions', { token: left.token });
  return [
    ...(await Promise.all(members)).flat(),
    { name: 'owner of another workspace', token: stranger.token, by: 'session', standing: 'stranger' },
    { name: 'API token of another workspace', token: strange.token, by: 'apiToken', standing: 'stranger' },
    { name: 'nobody', token: undefined, by: 'session', standing: 'unknown' },
    { name: 'revoked API token', token: revoked.token, by: 'apiToken', standing: 'unknown' },
    { name: 'expired API token', token: await expired(world, own), by: 'apiToken', standing: 'unknown' },
    { name: 'closed session', token: left.token, by: 'session', standing: 'unknown' },
    { name: 'made-up API token', token: `opt_${'0'.repeat(80)}`, by: 'apiToken', standing: 'unknown' },
  ];
};

/** Issued by a clock that is two days slow. */
const expired = async (world: ApiWorld, { token, base }: FullWorkspace): Promise<string> => {
  const day = 86_400_000;
  world.travel(-2 * day);
  const issued = await issue(world, token, base, { role: 'OWNER', expiresInDays: 1 });
  world.travel(0);
  return issued.token;
};

/** Somebody who is known here, and owns nothing yet. */
export const somebody = async (world: ApiWorld, token: string) => {
  const slug = `door-${randomUUID().slice(0, 8)}`;
  const made = await must(world, 'POST', '/workspaces', { token, body: { name: 'Door', slug } });
  const base = `/workspaces/${idOf(made)}`;
  return aMember(world, { token, base, workspaceId: idOf(made), departmentId: '', worker: '' }, { role: 'VIEWER' });
};
