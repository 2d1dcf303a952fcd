import { z } from 'zod';
import { decodeAs, streamOf } from '../commands/envelope.ts';
import type { Decider, Message } from '../domain/kernel.ts';
import type { EventLog } from '../platform/eventLog/port.ts';

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** A day of the calendar: what is read as one of the next month is none. */
const hasItsDay = (text: string): boolean => {
  const day = text.slice(0, 10);
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(day);
};

/** Far enough for anybody, and a time that every database has. */
const latest = Date.UTC(2999, 11, 31);

export const momentField = z
  .string()
  .max(40)
  .regex(rfc3339, 'A time as RFC 3339, for example 2026-05-01T12:00:00Z.')
  .refine(hasItsDay, 'No such moment.')
  .transform((text) => Date.parse(text.toUpperCase()))
  .refine(Number.isFinite, 'No such moment.')
  .transform((ms) => Math.min(Math.max(ms, 0), latest));

/** `?at=`: the state as it was at this moment. */
export const atField = momentField
  .optional()
  .meta({ description: 'RFC 3339: answer with the state as it was then.', format: 'date-time' });
export const atQuery = z.strictObject({ at: atField });

/** An aggregate folded from its stream, and when its first event was recorded; `createdAt` 0: nothing has happened yet. */
export const stateIn = async <Command, Event extends Message<string, object>, State, Code extends string>(
  log: EventLog,
  decider: Decider<Command, Event, State, Code>,
  id: string,
): Promise<{ readonly state: State; readonly revision: number; readonly createdAt: number }> => {
  let { initial: state } = decider;
  let revision = -1;
  let createdAt = 0;
  for await (const stored of log.readStream(streamOf(decider.category, id))) {
    const event = decodeAs<Event>(decider, stored);
    if (event) state = decider.evolve(state, event);
    if (revision === -1) createdAt = stored.recordedAt;
    revision = stored.revision;
  }
  return { state, revision, createdAt };
};
