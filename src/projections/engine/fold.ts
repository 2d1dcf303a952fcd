import type { Recorded } from '../../domain/kernel.ts';
import type { StoredEvent } from '../../platform/eventLog/port.ts';
import type { AnyEvent, AnyTable } from '../table.ts';
import { createPending, type Stage } from './pending.ts';
import { TableFailure } from './tableFailure.ts';

/** Undefined: a type this program does not know, from a newer writer. It is passed over. */
export type Decode = (event: StoredEvent) => Recorded<AnyEvent> | undefined;

/** A table that takes part, and the position up to which it has everything. */
export type Participant = { readonly table: AnyTable; readonly position: bigint };

const categoryOf = (stream: string): string => {
  const dash = stream.indexOf('-');
  return dash === -1 ? stream : stream.slice(0, dash);
};

/** Runs the handlers in memory. Throws TableFailure when one throws, or when an event it needs cannot be decoded. */
export const fold = (
  events: readonly StoredEvent[],
  participants: readonly Participant[],
  cascading: ReadonlySet<string>,
  decode: Decode,
): readonly Stage[] => {
  const pending = createPending(cascading);
  for (const stored of events) {
    const category = categoryOf(stored.stream);
    let decoded: Recorded<AnyEvent> | undefined;
    let tried = false;
    for (const { table, position } of participants) {
      if (stored.position <= position) continue;
      const handle = table.handlerOf(stored.type, category);
      if (handle === undefined) continue;
      try {
        if (!tried) decoded = decode(stored);
        tried = true;
        if (decoded !== undefined) handle(decoded, pending.writer(table));
      } catch (error) {
        throw new TableFailure(table.name, error);
      }
    }
  }
  return pending.stages;
};
