import type { SessionEvent } from './events.ts';

export type Session =
  | { readonly status: 'absent' }
  | {
      readonly status: 'open' | 'revoked';
      readonly userId: string;
      readonly tokenDigest: string;
      readonly expiresAt: number;
    };

export const initial: Session = { status: 'absent' };

export const evolve = (state: Session, event: SessionEvent): Session => {
  switch (event.type) {
    case 'SessionOpened':
      return { status: 'open', ...event.data };
    case 'SessionRevoked':
      return state.status === 'absent' ? state : { ...state, status: 'revoked' };
    default:
      event satisfies never;
      return state;
  }
};
