import type { Decider } from '../kernel.ts';
import { decide, type InvitationCommand, type InvitationRejection } from './decide.ts';
import type { InvitationEvent } from './events.ts';
import { evolve, type Invitation, initial } from './state.ts';

export const invitation: Decider<InvitationCommand, InvitationEvent, Invitation, InvitationRejection> = {
  category: 'invitation',
  events: { InvitationIssued: true, InvitationAccepted: true, InvitationRevoked: true },
  initial,
  decide,
  evolve,
};
export type { Invitation, InvitationCommand, InvitationEvent, InvitationRejection };
