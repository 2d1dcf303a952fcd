import { z } from 'zod';
import { signedInOperation } from './define.ts';
import { isId } from './guard.ts';
import { isoTime, isoTimeOrNull, pageOf } from './models.ts';
import { answer, noBody, noInput, type Operation } from './operation.ts';
import { pageReply, paging } from './paging.ts';
import { refuse } from './problem.ts';

const tag = 'Sign-in';

const session = z
  .strictObject({
    id: z.uuid(),
    isCurrent: z.boolean().meta({ description: 'The one that asks.' }),
    userAgent: z.string().nullable().meta({ description: 'What the client called itself, cut and masked.' }),
    createdAt: z.iso.datetime(),
    lastSeenAt: z.iso.datetime().meta({ description: 'Noted once an hour.' }),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'Session' });

const noSession = refuse('SessionNotFound', 'You have no such session.');

const list = signedInOperation(
  {
    id: 'listSessions',
    method: 'get',
    path: '/auth/sessions',
    tag,
    summary: 'Sessions of the caller',
    description: 'Those that can still be used, oldest first. Nothing here helps to use one.',
    query: paging,
    body: noBody,
    success: { status: 200, description: 'A page of sessions', schema: pageOf(session, 'SessionPage') },
    problems: ['SessionNotFound'],
  },
  async ({ deps, request, who, query }) => {
    if (who.kind === 'apiToken') return refuse('SessionNotFound', 'An API token has no session.');
    const { userId, sessionId } = who;
    return pageReply(
      request,
      query,
      (page) => deps.queries.sessionsOfUser({ ...page, userId, now: deps.clock.now() }),
      ({ id, userAgent, createdAt, usedAt, expiresAt }) => ({
        ...{ id, isCurrent: id === sessionId, userAgent, createdAt: isoTime(createdAt) },
        ...{ lastSeenAt: isoTimeOrNull(usedAt) ?? isoTime(createdAt), expiresAt: isoTime(expiresAt) },
      }),
    );
  },
);

const revoke = signedInOperation(
  {
    id: 'revokeSession',
    method: 'delete',
    path: '/auth/sessions/{sessionId}',
    tag,
    summary: 'End one session of the caller',
    ...noInput,
    success: { status: 204, description: 'Ended', schema: z.null() },
    problems: ['SessionNotFound'],
  },
  async ({ deps, who, params: { sessionId }, envelope }) => {
    if (who.kind === 'apiToken' || !isId(sessionId)) return noSession;
    const { state } = await deps.aggregates.session.load(sessionId);
    // Somebody else's answers like one that never was.
    if (state.status === 'absent' || state.userId !== who.userId) return noSession;
    const request = envelope(who);
    const sent = await deps.aggregates.session.send(sessionId, { type: 'RevokeSession', data: {} }, request);
    return answer(sent.ok ? { ...sent, value: null } : sent, request, () => ({ status: 204, body: null }));
  },
);

const revokeOthers = signedInOperation(
  {
    id: 'revokeOtherSessions',
    method: 'post',
    path: '/auth/sessions/revoke-others',
    tag,
    summary: 'End every other session of the caller',
    description: 'The one that asks goes on. API tokens stay: they belong to the workspace.',
    ...noInput,
    success: { status: 204, description: 'Ended', schema: z.null() },
    problems: ['SessionNotFound', 'UserNotFound', 'UserExists'],
  },
  async ({ deps, who, envelope }) => {
    if (who.kind === 'apiToken') return noSession;
    const { userId, sessionId: keepSessionId } = who;
    const { state } = await deps.aggregates.user.load(userId);
    if (state.status === 'absent') return noSession;
    const request = envelope(who);
    const command = { type: 'EndUserSessions', data: { epoch: state.sessionEpoch, keepSessionId } } as const;
    const sent = await deps.aggregates.user.send(userId, command, request);
    return answer(sent.ok ? { ...sent, value: null } : sent, request, () => ({ status: 204, body: null }));
  },
);

export const ownSessionOperations: readonly Operation[] = [list, revoke, revokeOthers];
