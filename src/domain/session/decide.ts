import { hourOf } from '../hourOf.ts';
import { type Decision, type Message, reject } from '../kernel.ts';
import type { SessionEvent } from './events.ts';
import type { Session } from './state.ts';

export type SessionCommand =
  | Message<'OpenSession', Extract<SessionEvent, { type: 'SessionOpened' }>['data']>
  | Message<'RecordSessionUse', { usedAt: number }>
  | Message<'RevokeSession', Record<never, never>>;

export type SessionRejection = 'SessionNotFound';

export const decide = (command: SessionCommand, state: Session): Decision<SessionEvent, SessionRejection> => {
  switch (command.type) {
    case 'OpenSession':
      return state.status === 'absent' ? [{ type: 'SessionOpened', data: command.data }] : [];
    case 'RecordSessionUse': {
      const { usedAt } = command.data;
      if (state.status !== 'open' || hourOf(usedAt) <= hourOf(state.usedAt)) return [];
      return [{ type: 'SessionUsed', data: { usedAt } }];
    }
    case 'RevokeSession':
      if (state.status === 'absent') return reject('SessionNotFound', 'There is no such session.');
      return state.status === 'revoked' ? [] : [{ type: 'SessionRevoked', data: {} }];
  }
};
