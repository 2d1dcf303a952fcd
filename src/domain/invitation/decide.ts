import { type Decision, type Message, reject } from '../kernel.ts';
import type { InvitationEvent } from './events.ts';
import type { Invitation } from './state.ts';

type Issue = Extract<InvitationEvent, { type: 'InvitationIssued' }>['data'];

export type InvitationCommand =
  | Message<'IssueInvitation', Issue>
  | Message<'AcceptInvitation', { userId: string; now: number }>
  | Message<'RevokeInvitation', { workspaceId: string }>;

export type InvitationRejection = 'InvitationNotFound' | 'InvitationExists' | 'InvitationSettled';

/** Unknown, revoked, expired and used by somebody else are one answer: whoever tries tokens learns nothing. */
const notFound = () =>
  reject('InvitationNotFound', 'This invitation does not exist, or can no longer be accepted. Ask for another one.');

export const decide = (
  command: InvitationCommand,
  state: Invitation,
): Decision<InvitationEvent, InvitationRejection> => {
  switch (command.type) {
    case 'IssueInvitation':
      if (state.status === 'absent') return [{ type: 'InvitationIssued', data: command.data }];
      return state.digest === command.data.digest
        ? []
        : reject('InvitationExists', 'An invitation with this id exists. Send the request again with a new key.');
    case 'AcceptInvitation': {
      const { userId, now } = command.data;
      if (state.status === 'accepted' && state.userId === userId) return [];
      if (state.status !== 'open' || now >= state.expiresAt) return notFound();
      return [{ type: 'InvitationAccepted', data: { userId } }];
    }
    case 'RevokeInvitation':
      if (state.status === 'absent' || state.workspaceId !== command.data.workspaceId) {
        return reject('InvitationNotFound', 'There is no such invitation in this workspace.');
      }
      if (state.status === 'accepted') {
        return reject('InvitationSettled', 'It was accepted already. Remove the member instead.');
      }
      return state.status === 'revoked' ? [] : [{ type: 'InvitationRevoked', data: {} }];
  }
};
