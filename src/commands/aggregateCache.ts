import type { Decider, Message } from '../domain/kernel.ts';
import type { EventLog, Position, StoredEvent } from '../platform/eventLog/port.ts';
import { decodeAs, type Envelope } from './envelope.ts';
import { createSnapshots } from './snapshots.ts';
import { blindWitness, type Witness } from './witness.ts';

/** What a command appended: enough to give a retry the same answer. */
export type EarlierCommand = {
  readonly digest: string;
  readonly first: number;
  readonly count: number;
  readonly position: Position;
};

export type Entry<State> = {
  readonly state: State;
  /** -1 for a stream without events. */
  readonly revision: number;
  readonly position: Position;
  readonly loadedAt: number;
  /** The witness's span as the load began. */
  readonly span: number;
  /** Commands that came with a caller's key, by id, oldest first, at most `rememberedCommands`. */
  readonly commands: Map<string, EarlierCommand>;
};

export type AggregateCache<Event, State> = {
  /** An entry no older than `maxAgeMs`; what is new in the log since is folded onto what is cached. */
  get(stream: string, maxAgeMs: number): Promise<Entry<State>>;
  /** The newest entry that was ever seen, if it is still cached; nothing is read. */
  known(stream: string): Entry<State> | undefined;
  /** What a stream without events is; nothing is read. */
  absent(): Entry<State>;
  /** Folds what was just appended onto the entry it was decided on. */
  advance(
    stream: string,
    entry: Entry<State>,
    events: readonly Event[],
    envelope: Pick<Envelope, 'commandId' | 'commandDigest'>,
    appended: { readonly revision: number; readonly position: Position },
  ): Entry<State>;
};

/** Of one stream. The platform's own commands are not among them: deciders make those harmless to repeat. */
export const rememberedCommands = 1_000;

export const createAggregateCache = <Command, Event extends Message<string, object>, State, Code extends string>(
  decider: Decider<Command, Event, State, Code>,
  options: {
    readonly log: EventLog;
    readonly now: () => number;
    readonly size: number;
    readonly witness?: Witness | undefined;
  },
): AggregateCache<Event, State> => {
  const { log, now, size, witness = blindWitness } = options;
  const entries = new Map<string, Entry<State>>();
  const snapshots = createSnapshots(decider, log);
  const loading = new Map<string, Promise<Entry<State>>>();

  const keep = (stream: string, entry: Entry<State>): Entry<State> => {
    const cached = entries.get(stream);
    if (cached && cached.revision > entry.revision) return cached;
    entries.delete(stream);
    entries.set(stream, entry);
    const oldest = entries.size > size ? entries.keys().next() : undefined;
    if (oldest && !oldest.done) entries.delete(oldest.value);
    return entry;
  };

  const refresh = async (stream: string): Promise<Entry<State>> => {
    const loadedAt = now();
    const span = witness.span();
    const known = entries.get(stream) ?? (await snapshots?.read(stream));
    let { state, revision, position } = known ?? { state: decider.initial, revision: -1, position: 0n };
    const commands = known?.commands ?? new Map<string, EarlierCommand>();
    for await (const stored of log.readStream(stream, { from: revision + 1 })) {
      const event = decodeAs<Event>(decider, stored);
      if (event) {
        state = decider.evolve(state, event);
        remember(commands, event.meta.commandId, event.meta.commandDigest, stored);
      }
      revision = stored.revision;
      position = stored.position;
    }
    return keep(stream, { state, revision, position, loadedAt, span, commands });
  };

  /** A clock that was set back must not keep what is old young. */
  const isWithin = (since: number | undefined, maxAgeMs: number): boolean =>
    since !== undefined && Math.abs(now() - since) <= maxAgeMs;
  const isYoung = (stream: string, entry: Entry<State>, maxAgeMs: number): boolean =>
    isWithin(entry.loadedAt, maxAgeMs) || isWithin(witness.vouchesUntil(stream, entry), maxAgeMs);

  return {
    get: (stream, maxAgeMs) => {
      const cached = entries.get(stream);
      // Zero means the log as it is now: another process may have written within the same millisecond.
      if (maxAgeMs > 0 && cached && isYoung(stream, cached, maxAgeMs)) return Promise.resolve(cached);
      const running = loading.get(stream);
      // A load that began before this call may have read before the fact this caller knows of: join only when that is fine.
      if (running && maxAgeMs > 0) return running;
      const started = refresh(stream).finally(() => {
        if (loading.get(stream) === started) loading.delete(stream);
      });
      loading.set(stream, started);
      return started;
    },
    known: (stream) => entries.get(stream),
    absent: () => ({
      ...{ state: decider.initial, revision: -1, position: 0n },
      ...{ loadedAt: now(), span: witness.span(), commands: new Map() },
    }),
    advance: (stream, entry, events, { commandId, commandDigest }, { revision, position }) => {
      let state = entry.state;
      for (const event of events) state = decider.evolve(state, event);
      const { commands } = entry;
      const first = revision - events.length + 1;
      if (commandDigest !== '')
        commands.set(commandId, { digest: commandDigest, first, count: events.length, position });
      forget(commands);
      // What was appended followed what it was decided on; what came in between is not known.
      const next = { state, revision, position, loadedAt: now(), span: entry.span, commands };
      snapshots?.writeWhenDue(stream, next, entry.revision);
      return keep(stream, next);
    },
  };
};

const remember = (
  commands: Map<string, EarlierCommand>,
  commandId: string,
  digest: string,
  { revision, position }: StoredEvent,
): void => {
  if (commandId === '' || digest === '') return;
  const earlier = commands.get(commandId);
  const first = earlier?.first ?? revision;
  commands.set(commandId, { digest, first, count: revision - first + 1, position });
  forget(commands);
};

const forget = (commands: Map<string, EarlierCommand>): void => {
  const oldest = commands.size > rememberedCommands ? commands.keys().next() : undefined;
  if (oldest && !oldest.done) commands.delete(oldest.value);
};
