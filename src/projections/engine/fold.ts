import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Recorded } from '../../domain/kernel.ts';
import type { SqlDatabase } from '../../platform/database/port.ts';
import type { StoredEvent } from '../../platform/eventLog/port.ts';
import type { AnyEvent, AnyTable } from '../table.ts';
import { createAppended } from './appended.ts';
import { createPending, type Pending } from './pending.ts';
import { TableFailure } from './tableFailure.ts';

/** Undefined: a type this program does not know, from a newer writer. It is passed over. */
export type Decode = (event: StoredEvent) => Recorded<AnyEvent> | undefined;

/** A table that takes part, and the position up to which it has everything. */
export type Participant = { readonly table: AnyTable; readonly position: bigint };

export type FoldOptions = {
  readonly database: SqlDatabase;
  readonly cascading: ReadonlySet<string>;
  readonly decode: Decode;
};

/** What some events mean, worked out in memory. */
export type Folded = Pick<Pending, 'stages' | 'appended'>;

const pendingFor = (events: readonly StoredEvent[], { database, cascading }: FoldOptions): Pending =>
  createPending(cascading, (table) => createAppended(database, table, events.length));

/** Runs the handlers in memory. Throws TableFailure when one throws, or when an event it needs cannot be decoded. */
export const fold = (
  events: readonly StoredEvent[],
  participants: readonly Participant[],
  options: FoldOptions,
): Folded => {
  const pending = pendingFor(events, options);
  foldInto(pending, events, participants, options.decode);
  return pending;
};

// What the database answers meanwhile waits for the end of a slice, and the database with it.
const sliceSize = 20;

/** The same in slices, so that what waits for the database in the meantime is served in between. */
export const foldInSlices = async (
  events: readonly StoredEvent[],
  participants: readonly Participant[],
  options: FoldOptions,
): Promise<Folded> => {
  const pending = pendingFor(events, options);
  for (let start = 0; start < events.length; start += sliceSize) {
    if (start > 0) await nextTurn();
    foldInto(pending, events.slice(start, start + sliceSize), participants, options.decode);
  }
  return pending;
};

const foldInto = (
  pending: Pending,
  events: readonly StoredEvent[],
  participants: readonly Participant[],
  decode: Decode,
): void => {
  for (const stored of events) {
    let decoded: Recorded<AnyEvent> | undefined;
    let tried = false;
    for (const { participant, handle } of handlersOf(participants, stored)) {
      if (stored.position <= participant.position) continue;
      try {
        if (!tried) decoded = decode(stored);
        tried = true;
        if (decoded !== undefined) handle(decoded, pending.writer(participant.table));
      } catch (error) {
        throw new TableFailure(participant.table.name, error);
      }
    }
  }
};

type Handling = {
  readonly participant: Participant;
  readonly handle: NonNullable<ReturnType<AnyTable['handlerOf']>>;
};

/** By participants, then by category and type: most tables have nothing to do with most events. */
const handlings = new WeakMap<readonly Participant[], Map<string, readonly Handling[]>>();

const handlersOf = (participants: readonly Participant[], { type, stream }: StoredEvent): readonly Handling[] => {
  const dash = stream.indexOf('-');
  const category = dash === -1 ? stream : stream.slice(0, dash);
  const known = handlings.get(participants) ?? new Map<string, readonly Handling[]>();
  handlings.set(participants, known);
  const id = `${category} ${type}`;
  const found = known.get(id);
  if (found !== undefined) return found;
  const handling = participants.flatMap((participant) => {
    const handle = participant.table.handlerOf(type, category);
    return handle === undefined ? [] : [{ participant, handle }];
  });
  known.set(id, handling);
  return handling;
};
