import type { Decider } from '../kernel.ts';
import { decide, type UserCommand, type UserRejection } from './decide.ts';
import type { UserEvent } from './events.ts';
import { evolve, initial, isSessionCurrent, type User } from './state.ts';

export const user: Decider<UserCommand, UserEvent, User, UserRejection> = {
  category: 'user',
  events: { UserRegistered: true, UserPasswordReplaced: true, UserPasswordRehashed: true, UserSessionsEnded: true },
  initial,
  decide,
  evolve,
};
export type { User, UserCommand, UserEvent, UserRejection };
export { isSessionCurrent };
