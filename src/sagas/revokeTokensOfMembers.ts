import type { Aggregates } from '../commands/aggregates.ts';
import { rightsOfToken } from '../commands/givers.ts';
import type { OpslogEvent } from '../domain/catalog.ts';
import type { Recorded } from '../domain/kernel.ts';
import { covers, type Rights } from '../domain/roles.ts';
import type { Position } from '../platform/eventLog/port.ts';
import { systemEnvelope } from './envelope.ts';
import { type Reactor, reactTo } from './reactor.ts';

/** Who lost rights, and what is left of them. */
const loserOf = (
  event: Recorded<Extract<OpslogEvent, { type: 'MemberRemoved' | 'MemberRoleAssigned' | 'ApiTokenRevoked' }>>,
): { readonly id: string; readonly left: Rights | undefined } => {
  switch (event.type) {
    case 'MemberRemoved':
      return { id: event.data.userId, left: undefined };
    case 'MemberRoleAssigned':
      return { id: event.data.userId, left: event.data };
    // A token may have given out others.
    case 'ApiTokenRevoked':
      return { id: event.meta.subjectId, left: undefined };
  }
};

/** Tokens act for whoever issued them: those that go beyond what that one may still do are over. */
export const revokeTokensOfMembers = (deps: {
  readonly tokens: Aggregates['apiToken'];
  /** Active tokens that this user or token issued in this workspace, with everything up to `position`. */
  readonly tokensIssuedBy: (workspaceId: string, issuerId: string, position: Position) => Promise<readonly string[]>;
}): Reactor =>
  reactTo('revokeTokensOfMembers', ['MemberRemoved', 'MemberRoleAssigned', 'ApiTokenRevoked'], async (event) => {
    const loser = loserOf(event);
    const { eventId, workspaceId, requestId, correlationId, position } = event.meta;
    for (const tokenId of await deps.tokensIssuedBy(workspaceId, loser.id, position)) {
      const { state } = await deps.tokens.load(tokenId);
      if (state.status !== 'active' || (loser.left && covers(loser.left, rightsOfToken(state)))) continue;
      const context = { workspaceId, departmentId: '', requestId, correlationId, causationId: eventId };
      const envelope = systemEnvelope('revokeTokensOfMembers', context, eventId, tokenId);
      const sent = await deps.tokens.send(tokenId, { type: 'RevokeApiToken', data: { workspaceId } }, envelope);
      if (!sent.ok) throw new Error(`Token ${tokenId} could not be revoked: ${sent.rejection.rejected}`);
    }
  });
