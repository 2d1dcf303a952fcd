import type { UserEvent } from './events.ts';

export type User =
  | { readonly status: 'absent' }
  | {
      readonly status: 'registered';
      readonly email: string;
      readonly displayName: string;
      readonly passwordHash: string;
    };

export const initial: User = { status: 'absent' };

export const evolve = (state: User, event: UserEvent): User => {
  switch (event.type) {
    case 'UserRegistered':
      return { status: 'registered', ...event.data };
    case 'UserPasswordReplaced':
      return state.status === 'absent' ? state : { ...state, passwordHash: event.data.passwordHash };
    default:
      event satisfies never;
      return state;
  }
};
