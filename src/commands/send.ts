import { type Decider, isRejection, type Message, type Rejection, reject } from '../domain/kernel.ts';
import type { EventLog, Position } from '../platform/eventLog/port.ts';
import { type AggregateCache, createAggregateCache, type Entry } from './aggregateCache.ts';
import { decodeAs, type Envelope, streamOf, toNewEvents } from './envelope.ts';
import type { Witness } from './witness.ts';

/** The answers that `send` itself can give beside those of a decider. */
export type SendRejection = 'RevisionMismatch' | 'IdempotencyKeyReused' | 'StreamContended';

export type Sent<Event, State> = {
  readonly ok: true;
  /** What was appended (or would be, on a dry run); what the first attempt appended when this is a retry. */
  readonly events: readonly Event[];
  readonly state: State;
  /** Revision of the stream's last event, -1 for a stream without events. */
  readonly revision: number;
  /** Where in the log this command's facts are (or the newest fact it saw): wait for it to read what was written. */
  readonly position: Position;
  /** True when the command had been carried out before and nothing was appended now. */
  readonly replayed: boolean;
};
export type NotSent<Code extends string> = { readonly ok: false; readonly rejection: Rejection<Code | SendRejection> };

export type Loaded<State> = { readonly state: State; readonly revision: number; readonly position: Position };

export type Aggregate<Command, Event, State, Code extends string> = {
  send(id: string, command: Command, envelope: Envelope): Promise<Sent<Event, State> | NotSent<Code>>;
  /**
   * The state, at most `maxAgeMs` behind what other processes wrote (0: read the log now), or one that is known with
   * everything up to the revision `atLeast`: enough for whoever follows the log, and hears of what comes after that.
   */
  load(id: string, options?: { readonly maxAgeMs?: number; readonly atLeast?: number }): Promise<Loaded<State>>;
};

export type AggregateOptions = {
  readonly log: EventLog;
  readonly now: () => number;
  readonly cacheSize?: number;
  /** Knows of states whether they are the newest, so that they need not be read again. */
  readonly witness?: Witness | undefined;
};

const tries = 3;

/**
 * The only append path. Loads the aggregate (from a bounded cache, refreshed from the log), decides, appends with the
 * expected revision; a conflict reloads what is new and decides again, three times at most.
 */
export const createAggregate = <Command, Event extends Message<string, object>, State, Code extends string>(
  decider: Decider<Command, Event, State, Code>,
  options: AggregateOptions,
): Aggregate<Command, Event, State, Code> => {
  const cache = createAggregateCache(decider, { size: 10_000, ...options });
  const exclusively = createTurns();
  return {
    send: (id, command, envelope) => {
      const stream = streamOf(decider.category, id);
      const work = { log: options.log, cache, decider, stream, command, envelope };
      return exclusively(stream, () => attempt(work));
    },
    load: async (id, { maxAgeMs = 0, atLeast = Number.POSITIVE_INFINITY } = {}) => {
      const stream = streamOf(decider.category, id);
      const known = cache.known(stream);
      const enough = known && known.revision >= atLeast ? known : await cache.get(stream, maxAgeMs);
      const { state, revision, position } = enough;
      return { state, revision, position };
    },
  };
};

type Work<Command, Event extends Message<string, object>, State, Code extends string> = {
  readonly log: EventLog;
  readonly cache: AggregateCache<Event, State>;
  readonly decider: Decider<Command, Event, State, Code>;
  readonly stream: string;
  readonly command: Command;
  readonly envelope: Envelope;
};

const attempt = async <Command, Event extends Message<string, object>, State, Code extends string>(
  work: Work<Command, Event, State, Code>,
): Promise<Sent<Event, State> | NotSent<Code>> => {
  const { log, cache, decider, stream, envelope } = work;
  const known = envelope.fresh ? (cache.known(stream) ?? cache.absent()) : undefined;
  let entry = known ?? (await cache.get(stream, Number.POSITIVE_INFINITY));
  // Only what leads to an append is checked by the log: any other answer from a cached entry looks again first.
  let checked = false;
  for (let conflicts = 0; conflicts < tries; ) {
    const answer = await answerFrom(work, entry);
    if ('append' in answer) {
      const events = answer.append;
      if (envelope.dryRun)
        return sentOf(events, { ...entry, state: events.reduce(decider.evolve, entry.state) }, false);
      const expected = entry.revision === -1 ? 'noStream' : entry.revision;
      const outcome = await log.append(stream, toNewEvents(stream, events, envelope), expected);
      if (outcome.ok) return sentOf(events, cache.advance(stream, entry, events, envelope, outcome), false);
      if (outcome.conflict === 'deleted') throw new Error(`Stream ${stream} was deleted from the log.`);
      conflicts += 1;
    } else if (checked || (answer.ok && answer.replayed)) {
      return answer;
    }
    checked = true;
    entry = await cache.get(stream, 0);
  }
  return { ok: false, rejection: reject('StreamContended', 'Others keep changing this at the same time. Try again.') };
};

type Answer<Event, State, Code extends string> =
  | Sent<Event, State>
  | NotSent<Code>
  | { readonly append: readonly Event[] };

const answerFrom = async <Command, Event extends Message<string, object>, State, Code extends string>(
  work: Work<Command, Event, State, Code>,
  entry: Entry<State>,
): Promise<Answer<Event, State, Code>> => {
  const { decider, command, envelope } = work;
  const earlier = entry.commands.get(envelope.commandId);
  if (earlier) {
    if (earlier.digest !== envelope.commandDigest) return { ok: false, rejection: keyReused };
    const events = await reread(work, earlier.first, earlier.count);
    return { ...sentOf(events, entry, true), position: earlier.position };
  }
  const { expectedRevision } = envelope;
  if (expectedRevision !== undefined && expectedRevision !== entry.revision) {
    return { ok: false, rejection: changedSince(expectedRevision, entry.revision) };
  }
  const decision = decider.decide(command, entry.state);
  if (isRejection(decision)) return { ok: false, rejection: decision };
  return decision.length > 0 ? { append: decision } : sentOf<Event, State>([], entry, false);
};

const reread = async <Command, Event extends Message<string, object>, State, Code extends string>(
  { log, decider, stream }: Work<Command, Event, State, Code>,
  from: number,
  limit: number,
): Promise<Event[]> => {
  const events: Event[] = [];
  for await (const stored of log.readStream(stream, { from, limit })) {
    const event = decodeAs<Event>(decider, stored);
    if (event) events.push(event);
  }
  return events;
};

const sentOf = <Event, State>(events: readonly Event[], entry: Entry<State>, replayed: boolean): Sent<Event, State> => {
  const { state, revision, position } = entry;
  return { ok: true, events, state, revision, position, replayed };
};

const keyReused: Rejection<SendRejection> = reject(
  'IdempotencyKeyReused',
  'This idempotency key belongs to another request. Use a new key for a new request.',
  { field: 'Idempotency-Key' },
);

const changedSince = (expected: number, actual: number): Rejection<SendRejection> =>
  reject('RevisionMismatch', `It has changed since: revision ${actual} is current. Read it again and decide anew.`, {
    field: 'If-Match',
    details: { expected, actual },
  });

/** One command at a time per stream in this process: the others would only conflict. */
const createTurns = (): (<Result>(key: string, work: () => Promise<Result>) => Promise<Result>) => {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, turn);
    const leave = () => {
      if (last.get(key) === turn) last.delete(key);
    };
    turn.then(leave, leave);
    return turn;
  };
};
