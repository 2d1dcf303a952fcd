import { sql } from 'kysely';
import type { Position, StoredEvent } from '../../src/platform/eventLog/port.ts';
import { tables } from '../../src/projections/tables.ts';
import type { ApiWorld } from '../support/api.ts';
import type { FullWorkspace, Instances } from './fullWorkspace.ts';

/** Every word that gives a workspace away: its canary, and the ids of what is in it. */
export const wordsOf = ({ canary, ids }: FullWorkspace): readonly string[] => {
  const { revision: _, ...unique }: Instances = ids;
  return [canary, canary.toUpperCase(), ...Object.values(unique)];
};

export const asText = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each));

/** Rows of every table in which one of the words is. */
export const rowsWith = async (
  world: ApiWorld,
  words: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const found = new Map<string, readonly string[]>();
  for (const { name } of tables) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(world.database.session);
    found.set(
      name,
      rows
        .map(asText)
        .filter((row) => words.some((word) => row.includes(word)))
        .sort(),
    );
  }
  return found;
};

export const eventsAfter = async (world: ApiWorld, after: Position): Promise<readonly StoredEvent[]> => {
  const events: StoredEvent[] = [];
  for await (const event of world.log.readAll({ after })) events.push(event);
  return events;
};

/** A note that somebody tried something. It is the one trace that a stranger may leave, and he has no word in it. */
export const isNoteOfRefusal = ({ stream }: StoredEvent): boolean => stream.startsWith('controlAudit-');

/** A note of who asked, of a session once an hour, and an hour may begin meanwhile. */
export const isUse = ({ type }: StoredEvent): boolean => type === 'ApiTokenUsed' || type === 'SessionUsed';

export const textOf = ({ stream, data, metadata }: StoredEvent): string => asText({ stream, data, metadata });
