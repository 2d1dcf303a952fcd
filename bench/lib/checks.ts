import type { EventLog, Position } from '../../src/platform/eventLog/port.ts';
import type { LoadResult } from './load.ts';

/** A side that did not do what was asked has no figure. */
export class WrongResult extends Error {
  override readonly name = 'WrongResult';
}

export const expectEqual = (what: string, actual: unknown, expected: unknown): void => {
  if (actual !== expected) throw new WrongResult(`${what}: ${String(actual)} instead of ${String(expected)}`);
};

export const expectAllAnswered = (side: string, { refused }: LoadResult): void => {
  const found = [...refused].map(([status, count]) => `${count} × ${status}`).join(', ');
  expectEqual(`${side}, answers other than 2xx`, found, '');
};

/** Uses of tokens and sessions are noted once an hour, whatever the hour finds going on: they are nobody's command. */
const isUse = ({ type }: { readonly type: string }): boolean => type === 'ApiTokenUsed' || type === 'SessionUsed';

/** Events of the log behind a position, but for uses. */
export const countAfter = async (log: EventLog, after: Position): Promise<number> => {
  let count = 0;
  for await (const { events } of log.readAllBatches({ after, maxBatch: 2_048 })) {
    count += events.filter((event) => !isUse(event)).length;
  }
  return count;
};
