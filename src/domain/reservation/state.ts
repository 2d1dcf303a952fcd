import type { ReservationEvent } from './events.ts';

export type Reservation = { readonly status: 'free' } | { readonly status: 'reserved'; readonly ownerId: string };

export const initial: Reservation = { status: 'free' };

export const evolve = (state: Reservation, event: ReservationEvent): Reservation => {
  switch (event.type) {
    case 'NameReserved':
      return { status: 'reserved', ownerId: event.data.ownerId };
    case 'NameReleased':
      return { status: 'free' };
    default:
      event satisfies never;
      return state;
  }
};
