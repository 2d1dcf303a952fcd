import type { SessionEvent } from './events.ts';

export type Session =
  | { readonly status: 'absent' }
  | {
      readonly status: 'open' | 'revoked';
      readonly userId: string;
      readonly tokenDigest: string;
      readonly expiresAt: number;
      readonly epoch: number;
      /** 0: not since it was opened, or not noted yet. */
      readonly usedAt: number;
    };

export const initial: Session = { status: 'absent' };

export const evolve = (state: Session, event: SessionEvent): Session => {
  switch (event.type) {
    case 'SessionOpened': {
      const { userId, tokenDigest, expiresAt, epoch = 0 } = event.data;
      return { status: 'open', userId, tokenDigest, expiresAt, epoch, usedAt: 0 };
    }
    case 'SessionUsed':
      return state.status === 'absent' ? state : { ...state, usedAt: event.data.usedAt };
    case 'SessionRevoked':
      return state.status === 'absent' ? state : { ...state, status: 'revoked' };
    default:
      event satisfies never;
      return state;
  }
};
