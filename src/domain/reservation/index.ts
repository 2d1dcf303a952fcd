import type { Decider } from '../kernel.ts';
import { decide, type ReservationCommand, type ReservationRejection } from './decide.ts';
import type { ReservationEvent } from './events.ts';
import { evolve, initial, type Reservation } from './state.ts';

export const reservation: Decider<ReservationCommand, ReservationEvent, Reservation, ReservationRejection> = {
  category: 'reservation',
  events: { NameReserved: true, NameReleased: true },
  initial,
  decide,
  evolve,
};
export type { Reservation, ReservationCommand, ReservationEvent, ReservationRejection };
