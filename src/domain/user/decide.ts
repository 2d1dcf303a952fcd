import { type Decision, type Message, reject } from '../kernel.ts';
import type { UserEvent } from './events.ts';
import type { User } from './state.ts';

export type UserCommand =
  | Message<'RegisterUser', { email: string; displayName: string; passwordHash: string }>
  | Message<'ChangeUserPassword', { passwordHash: string }>;

export type UserRejection = 'UserNotFound' | 'UserExists';

export const decide = (command: UserCommand, state: User): Decision<UserEvent, UserRejection> => {
  switch (command.type) {
    case 'RegisterUser':
      if (state.status === 'absent') return [{ type: 'UserRegistered', data: command.data }];
      return state.email === command.data.email
        ? []
        : reject('UserExists', 'This user is registered under another address.');
    case 'ChangeUserPassword':
      if (state.status === 'absent') return reject('UserNotFound', 'There is no such user.');
      if (state.passwordHash === command.data.passwordHash) return [];
      return [{ type: 'UserPasswordReplaced', data: command.data }];
  }
};
