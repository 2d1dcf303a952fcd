import type { Message } from '../kernel.ts';

/** A name that only one owner may have. The stream id is derived from kind and name, so two claims race for one stream. */
export type ReservationEvent =
  | Message<'NameReserved', { kind: string; ownerId: string }>
  | Message<'NameReleased', { ownerId: string }>;
