import type { Aggregates } from '../commands/aggregates.ts';
import type { Position } from '../platform/eventLog/port.ts';
import { systemEnvelope } from './envelope.ts';
import type { Reactor } from './reactor.ts';

/** Tokens act for whoever issued them: they end with that person's membership. */
export const revokeTokensOfRemovedMembers = (deps: {
  readonly tokens: Aggregates['apiToken'];
  /** Active tokens that this user issued in this workspace, with everything up to `position`. */
  readonly tokensIssuedBy: (workspaceId: string, userId: string, position: Position) => Promise<readonly string[]>;
}): Reactor => ({
  name: 'revokeTokensOfRemovedMembers',
  react: async (event) => {
    if (event.type !== 'MemberRemoved') return;
    const { eventId, workspaceId, requestId, correlationId, position } = event.meta;
    for (const tokenId of await deps.tokensIssuedBy(workspaceId, event.data.userId, position)) {
      const context = { workspaceId, departmentId: '', requestId, correlationId, causationId: eventId };
      const envelope = systemEnvelope('revokeTokensOfRemovedMembers', context, eventId, tokenId);
      const sent = await deps.tokens.send(tokenId, { type: 'RevokeApiToken', data: { workspaceId } }, envelope);
      if (!sent.ok) throw new Error(`Token ${tokenId} could not be revoked: ${sent.rejection.rejected}`);
    }
  },
});
