import { z } from 'zod';
import { sha256 } from '../commands/envelope.ts';
import { openSession, openSessionSchema } from '../commands/session.ts';
import { changePassword, changePasswordSchema } from '../commands/user.ts';
import { publicOperation, rateExceeded, signedInOperation } from './define.ts';
import { isoTime, isoTimeOrNull, me, openedSession } from './models.ts';
import { answer, jsonBody, noInput, noQuery, type Operation } from './operation.ts';
import { refuse } from './problem.ts';
import { nobody } from './request.ts';

const tag = 'Sign-in';

const signIn = publicOperation(
  {
    id: 'openSession',
    method: 'post',
    path: '/auth/sessions',
    tag,
    summary: 'Sign in',
    description: 'Answers with a bearer token that is valid for twelve hours. Few attempts per minute are let through.',
    query: noQuery,
    body: jsonBody(openSessionSchema),
    success: { status: 201, description: 'Signed in', schema: openedSession },
    problems: ['CredentialsInvalid', 'PasswordExpired', 'SessionNotFound'],
    admit: ({ limiters, address }) => tooMany(limiters.signIn(address)),
  },
  async ({ deps, request, body, envelope }) => {
    const refused = tooMany(request.limiters.signInPerEmail(body.email));
    if (refused) return refused;
    // Keys of different people must not meet: until the session has its user, the address stands for the actor.
    const command = envelope({ ...nobody, actor: { kind: 'user', id: sha256(body.email) } });
    const opened = await openSession(deps, body, request.raw.headers['user-agent'] ?? '', command);
    // Only failures count: colleagues behind one address do not keep each other out.
    if (opened.ok) {
      request.limiters.signIn(request.address, -1);
      request.limiters.signInPerEmail(body.email, -1);
    }
    return answer(opened, command, (opened) => ({
      status: 201,
      body: {
        ...{ id: opened.sessionId, userId: opened.userId, token: opened.token, expiresAt: isoTime(opened.expiresAt) },
        mustChangePassword: opened.mustChangePassword,
      },
    }));
  },
);

const tooMany = (seconds: number) => (seconds === 0 ? undefined : rateExceeded(seconds));

const signOut = signedInOperation(
  {
    id: 'closeSession',
    beforePasswordChange: true,
    method: 'delete',
    path: '/auth/sessions',
    tag,
    summary: 'Sign out',
    description: 'Revokes the session whose token the request carries.',
    ...noInput,
    success: { status: 204, description: 'Signed out', schema: z.null() },
    problems: ['SessionNotFound'],
  },
  async ({ deps, who, envelope }) => {
    if (who.kind === 'apiToken') return refuse('SessionNotFound', 'An API token has no session. Revoke the token.');
    const request = envelope(who);
    const sent = await deps.aggregates.session.send(who.sessionId, { type: 'RevokeSession', data: {} }, request);
    return answer(sent.ok ? { ...sent, value: null } : sent, request, () => ({ status: 204, body: null }));
  },
);

const whoAmI = signedInOperation(
  {
    id: 'getMe',
    beforePasswordChange: true,
    method: 'get',
    path: '/auth/me',
    tag,
    summary: 'Who the token stands for',
    ...noInput,
    success: { status: 200, description: 'The user or the API token', schema: me },
    problems: ['UserNotFound'],
  },
  async ({ deps, who }) => {
    if (who.kind === 'apiToken') {
      const { tokenId, name, workspaceId, role, departmentId, expiresAt } = who;
      const shown = { departmentId: departmentId === '' ? null : departmentId, expiresAt: isoTimeOrNull(expiresAt) };
      return { status: 200, body: { kind: 'apiToken' as const, id: tokenId, name, workspaceId, role, ...shown } };
    }
    const { state } = await deps.aggregates.user.load(who.userId);
    if (state.status === 'absent') return refuse('UserNotFound', 'There is no such user.');
    const { email, displayName } = state;
    const session = { sessionExpiresAt: isoTime(who.expiresAt), mustChangePassword: who.mustChangePassword };
    return { status: 200, body: { kind: 'user' as const, id: who.userId, email, displayName, ...session } };
  },
);

const changeMyPassword = signedInOperation(
  {
    id: 'changePassword',
    beforePasswordChange: true,
    method: 'post',
    path: '/auth/password',
    tag,
    summary: 'Change the password of the caller',
    description: 'Ends every other session of the account. API tokens stay: they belong to the workspace.',
    query: noQuery,
    body: jsonBody(changePasswordSchema),
    success: { status: 204, description: 'Changed', schema: z.null() },
    problems: ['CredentialsInvalid', 'UserNotFound', 'UserExists', 'PasswordRefused', 'PasswordExpired'],
  },
  async ({ deps, request, who, body, envelope }) => {
    if (who.kind === 'apiToken') return refuse('UserNotFound', 'An API token has no password.');
    // By account, so that nobody else's failures keep its owner from changing a password that others may know.
    const refused = tooMany(request.limiters.passwordChange(who.userId));
    if (refused) return refused;
    const command = envelope(who);
    const outcome = await changePassword(deps, who, body, command);
    return answer(outcome, command, () => ({ status: 204, body: null }));
  },
);

export const sessionOperations: readonly Operation[] = [signIn, signOut, whoAmI, changeMyPassword];
