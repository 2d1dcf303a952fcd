import { z } from 'zod';
import { derivedId } from '../domain/identifiers.ts';
import type { Decider, Message } from '../domain/kernel.ts';
import type { EventLog, StoredEvent } from '../platform/eventLog/port.ts';
import { type Entry, rememberedCommands } from './aggregateCache.ts';
import { sha256 } from './envelope.ts';

const category = 'snapshot';

const snapshotData = z.object({
  version: z.number(),
  revision: z.number().int().min(0),
  position: z.string().regex(/^\d+$/),
  /** Id of the event at `revision`: a log that was restored to an earlier time has another one there, or none. */
  eventId: z.string(),
  state: z.unknown(),
  commands: z.array(
    z.object({ id: z.string(), digest: z.string(), first: z.number(), count: z.number(), position: z.string() }),
  ),
});

export type Snapshots<State> = {
  /** What a valid snapshot holds; undefined when there is none, it is of another version, or the log does not bear it out. */
  read(stream: string): Promise<Entry<State> | undefined>;
  /** Writes one in the background when enough events have passed since `before`; a failure only means a slower load. */
  writeWhenDue(stream: string, entry: Entry<State>, before: number): void;
};

export const createSnapshots = <Command, Event extends Message<string, object>, State, Code extends string>(
  { snapshot }: Decider<Command, Event, State, Code>,
  log: EventLog,
): Snapshots<State> | undefined => {
  if (!snapshot) return undefined;
  const { version, every, isState } = snapshot;
  return {
    read: async (stream) => {
      const stored = await first(
        log.readStream(`${category}-${stream}`, { from: 'end', direction: 'backwards', limit: 1 }),
      );
      const parsed = snapshotData.safeParse(stored?.data);
      if (!parsed.success || parsed.data.version !== version || !isState(parsed.data.state)) return undefined;
      const { revision, position, eventId, state, commands } = parsed.data;
      const covered = await first(log.readStream(stream, { from: revision, limit: 1 }));
      if (covered?.id !== eventId) return undefined;
      return {
        ...{ state, revision, position: BigInt(position), loadedAt: 0, span: 0 },
        commands: new Map(commands.map(({ id, ...each }) => [id, { ...each, position: BigInt(each.position) }])),
      };
    },
    writeWhenDue: (stream, entry, before) => {
      if (Math.floor((entry.revision + 1) / every) === Math.floor((before + 1) / every)) return;
      write(log, version, stream, entry).catch(() => undefined);
    },
  };
};

const write = async <State>(log: EventLog, version: number, stream: string, entry: Entry<State>): Promise<void> => {
  const { state, revision, position, commands } = entry;
  const covered = await first(log.readStream(stream, { from: revision, limit: 1 }));
  if (!covered) return;
  const data = {
    ...{ version, revision, state, position: String(position), eventId: covered.id },
    commands: [...commands]
      .slice(-rememberedCommands)
      .map(([id, command]) => ({ id, ...command, position: String(command.position) })),
  };
  const id = derivedId(sha256, category, String(version), covered.id);
  const target = `${category}-${stream}`;
  const written = await log.append(target, [{ id, type: 'SnapshotTaken', data, metadata: {} }], 'any');
  if (written.ok && written.revision === 0) await log.keepNewest(target, 1);
};

const first = async (events: AsyncIterable<StoredEvent>): Promise<StoredEvent | undefined> => {
  for await (const event of events) return event;
  return undefined;
};
