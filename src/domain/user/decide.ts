import { type Decision, type Message, reject } from '../kernel.ts';
import type { UserEvent } from './events.ts';
import type { User } from './state.ts';

export type UserCommand =
  | Message<'RegisterUser', Extract<UserEvent, { type: 'UserRegistered' }>['data']>
  /** Ends every session but the kept one: whoever knew the old password may be in one of them. */
  | Message<'ChangeUserPassword', { passwordHash: string; keepSessionId: string; initialUntil?: number | undefined }>
  /** For whoever just proved that he knows the password; one that changed meanwhile is left alone. */
  | Message<'RehashUserPassword', { from: string; to: string }>
  /** `epoch` is the one that the caller saw: sent twice it ends nothing that began in between. */
  | Message<'EndUserSessions', { epoch: number; keepSessionId: string }>;

export type UserRejection = 'UserNotFound' | 'UserExists';

export const decide = (command: UserCommand, state: User): Decision<UserEvent, UserRejection> => {
  if (command.type === 'RegisterUser') {
    if (state.status === 'absent') return [{ type: 'UserRegistered', data: command.data }];
    return state.email === command.data.email
      ? []
      : reject('UserExists', 'This user is registered under another address.');
  }
  if (state.status === 'absent') return reject('UserNotFound', 'There is no such user.');
  const ended = (keptSessionId: string): UserEvent => ({
    type: 'UserSessionsEnded',
    data: { epoch: state.sessionEpoch + 1, keptSessionId },
  });
  switch (command.type) {
    case 'ChangeUserPassword': {
      const { keepSessionId, ...replacement } = command.data;
      if (state.passwordHash === replacement.passwordHash) return [];
      return [{ type: 'UserPasswordReplaced', data: replacement }, ended(keepSessionId)];
    }
    case 'RehashUserPassword': {
      const { from, to } = command.data;
      return state.passwordHash === from ? [{ type: 'UserPasswordRehashed', data: { passwordHash: to } }] : [];
    }
    case 'EndUserSessions':
      return state.sessionEpoch === command.data.epoch ? [ended(command.data.keepSessionId)] : [];
  }
};
