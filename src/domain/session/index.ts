import type { Decider } from '../kernel.ts';
import { decide, type SessionCommand, type SessionRejection } from './decide.ts';
import type { SessionEvent } from './events.ts';
import { evolve, initial, type Session } from './state.ts';

export const session: Decider<SessionCommand, SessionEvent, Session, SessionRejection> = {
  category: 'session',
  events: { SessionOpened: true, SessionUsed: true, SessionRevoked: true },
  initial,
  decide,
  evolve,
};
export type { Session, SessionCommand, SessionEvent, SessionRejection };
