import { z } from 'zod';

/** A position of the log as decimal text: beyond what a JSON number holds exactly. */
export const positionText = z.string().regex(/^\d{1,19}$/, 'a position is a whole number');

/** Where in the history somebody looks: at a time in milliseconds since the epoch, or right after a position. */
export const moment = z.union([z.strictObject({ time: z.number() }), z.strictObject({ position: positionText })]);
export type Moment = z.infer<typeof moment>;

/** Is an event part of the history up to that moment? Both ends are inclusive. */
export const isWithin = (event: { readonly position: bigint; readonly recordedAt: number }, at: Moment | undefined) =>
  at === undefined || ('time' in at ? event.recordedAt <= at.time : event.position <= BigInt(at.position));
