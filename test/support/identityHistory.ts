import type { Aggregates } from '../../src/commands/aggregates.ts';
import type { Envelope } from '../../src/commands/envelope.ts';
import { sha256 } from '../../src/commands/envelope.ts';
import { derivedId } from '../../src/domain/identifiers.ts';

export const identitySteps = [
  ...(['invite', 'invite', 'acceptInvitation', 'acceptInvitation', 'revokeInvitation'] as const),
  ...(['endSessions', 'rehash', 'useSession', 'useToken'] as const),
] as const;
export type IdentityStep = (typeof identitySteps)[number];

export const isIdentityStep = (what: string): what is IdentityStep => identitySteps.some((step) => step === what);

const roles = ['OWNER', 'ADMIN', 'MEMBER', 'VIEWER'] as const;

type Known = {
  readonly now: number;
  readonly text: string;
  readonly user: string | undefined;
  readonly session: string | undefined;
  readonly token: string | undefined;
};

/** Five invitations of a workspace, by their ids, so that what comes later meets what came before. */
export const performIdentityStep = async (
  { invitation, workspace, user, session, apiToken }: Aggregates,
  { what, choice }: { readonly what: IdentityStep; readonly choice: number },
  { now, text, ...known }: Known,
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
      return;
    case 'endSessions': {
      const { state } = await user.load(known.user ?? '');
      if (state.status === 'absent' || !known.user) return;
      const keepSessionId = choice % 2 ? (known.session ?? '') : '';
      await user.send(
        known.user,
        { type: 'EndUserSessions', data: { epoch: state.sessionEpoch, keepSessionId } },
        envelope,
      );
      return;
    }
    case 'rehash': {
      const { state } = await user.load(known.user ?? '');
      if (state.status === 'absent' || !known.user) return;
      const data = { from: state.passwordHash, to: `$argon2id$better-${choice}` };
      await user.send(known.user, { type: 'RehashUserPassword', data }, envelope);
      return;
    }
    case 'useSession':
      if (known.session) {
        await session.send(known.session, { type: 'RecordSessionUse', data: { usedAt: now } }, envelope);
      }
      return;
    case 'useToken':
      if (known.token) {
        await apiToken.send(known.token, { type: 'RecordApiTokenUse', data: { usedAt: now } }, envelope);
      }
  }
};
