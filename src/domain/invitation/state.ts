import type { InvitationEvent } from './events.ts';

type Issued = Readonly<Extract<InvitationEvent, { type: 'InvitationIssued' }>['data']>;

export type Invitation =
  | { readonly status: 'absent' }
  | ({ readonly status: 'open' } & Issued)
  | ({ readonly status: 'revoked' } & Issued)
  | ({ readonly status: 'accepted'; readonly userId: string } & Issued);

export const initial: Invitation = { status: 'absent' };

export const evolve = (state: Invitation, event: InvitationEvent): Invitation => {
  switch (event.type) {
    case 'InvitationIssued':
      return { status: 'open', ...event.data };
    case 'InvitationAccepted':
      return state.status === 'open' ? { ...state, status: 'accepted', userId: event.data.userId } : state;
    case 'InvitationRevoked':
      return state.status === 'open' ? { ...state, status: 'revoked' } : state;
    default:
      event satisfies never;
      return state;
  }
};
