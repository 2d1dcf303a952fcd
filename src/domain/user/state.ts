import type { UserEvent } from './events.ts';

export type User =
  | { readonly status: 'absent' }
  | {
      readonly status: 'registered';
      readonly email: string;
      readonly displayName: string;
      readonly passwordHash: string;
      /** The program made the password: to be changed, and worth nothing after this time. 0: its owner chose it. */
      readonly initialUntil: number;
      /** Counts how often all sessions were ended: those that began under an earlier number are over. */
      readonly sessionEpoch: number;
      readonly keptSessionId: string;
    };

export const initial: User = { status: 'absent' };

export const evolve = (state: User, event: UserEvent): User => {
  switch (event.type) {
    case 'UserRegistered':
      return {
        ...{ status: 'registered', ...event.data, initialUntil: event.data.initialUntil ?? 0 },
        ...{ sessionEpoch: 0, keptSessionId: '' },
      };
    case 'UserPasswordReplaced': {
      const { passwordHash, initialUntil = 0 } = event.data;
      return state.status === 'absent' ? state : { ...state, passwordHash, initialUntil };
    }
    case 'UserPasswordRehashed':
      return state.status === 'absent' ? state : { ...state, passwordHash: event.data.passwordHash };
    case 'UserSessionsEnded': {
      const { epoch: sessionEpoch, keptSessionId } = event.data;
      return state.status === 'absent' ? state : { ...state, sessionEpoch, keptSessionId };
    }
    default:
      event satisfies never;
      return state;
  }
};

/** Is a session that began under this epoch still good? */
export const isSessionCurrent = (user: User, sessionId: string, epoch: number): boolean =>
  user.status === 'registered' && (epoch === user.sessionEpoch || sessionId === user.keptSessionId);
