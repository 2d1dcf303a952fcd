import type { Aggregates } from '../../src/commands/aggregates.ts';
import type { Envelope } from '../../src/commands/envelope.ts';
import { sha256 } from '../../src/commands/envelope.ts';
import { derivedId } from '../../src/domain/identifiers.ts';

export const identitySteps = ['invite', 'invite', 'acceptInvitation', 'acceptInvitation', 'revokeInvitation'] as const;
export type IdentityStep = (typeof identitySteps)[number];

export const isIdentityStep = (what: string): what is IdentityStep => identitySteps.some((step) => step === what);

const roles = ['OWNER', 'ADMIN', 'MEMBER', 'VIEWER'] as const;

/** Five invitations of a workspace, by their ids, so that what comes later meets what came before. */
export const performIdentityStep = async (
  { invitation, workspace }: Pick<Aggregates, 'invitation' | 'workspace'>,
  { what, choice }: { readonly what: IdentityStep; readonly choice: number },
  { now, text }: { readonly now: number; readonly text: string },
  workspaceId: string,
  envelope: Envelope,
): Promise<void> => {
  const id = derivedId(sha256, 'invitation', workspaceId, String(choice % 5));
  const userId = `user-${choice % 4}`;
  const email = `m${choice % 4}@example.org`;
  const rights = { role: roles[choice % 4] ?? 'VIEWER', departmentIds: choice % 2 ? ['d1'] : [] };
  switch (what) {
    case 'invite': {
      const issuedBy = envelope.actor;
      const data = { workspaceId, email, ...rights, digest: sha256(id), expiresAt: now + 50_000, issuedBy };
      await invitation.send(id, { type: 'IssueInvitation', data }, envelope);
      return;
    }
    case 'acceptInvitation': {
      const accepted = await invitation.send(id, { type: 'AcceptInvitation', data: { userId, now } }, envelope);
      if (!accepted.ok) return;
      const member = { userId, email, displayName: text, ...rights, invitationId: id };
      await workspace.send(workspaceId, { type: 'AdmitInvited', data: member }, envelope);
      return;
    }
    case 'revokeInvitation':
      await invitation.send(id, { type: 'RevokeInvitation', data: { workspaceId } }, envelope);
  }
};
