import { type Decision, type Message, reject } from '../kernel.ts';
import type { ReservationEvent } from './events.ts';
import type { Reservation } from './state.ts';

export type ReservationCommand =
  | Message<'ReserveName', { kind: string; ownerId: string }>
  | Message<'ReleaseName', { ownerId: string }>;

export type ReservationRejection = 'NameTaken';

export const decide = (
  command: ReservationCommand,
  state: Reservation,
): Decision<ReservationEvent, ReservationRejection> => {
  switch (command.type) {
    case 'ReserveName':
      if (state.status === 'free') return [{ type: 'NameReserved', data: command.data }];
      return state.ownerId === command.data.ownerId
        ? []
        : reject('NameTaken', 'This name is taken.', { details: { ownerId: state.ownerId } });
    case 'ReleaseName':
      return state.status === 'reserved' && state.ownerId === command.data.ownerId
        ? [{ type: 'NameReleased', data: command.data }]
        : [];
  }
};
