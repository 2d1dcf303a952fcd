import type { Clock, Random } from '../platform/clock/port.ts';
import type { EventLog, Position, StoredEvent } from '../platform/eventLog/port.ts';
import { errorMessage, type Log } from '../platform/log/port.ts';
import type { BusMessage, MessageBus } from '../platform/nats/port.ts';
import { toBusMessage, toCloudEvent } from './cloudEvent.ts';
import { backoffMs } from './deployment.ts';
import { type CheckpointStore, fromTheBeginningWhenRewound } from './reactor.ts';

export type PublisherOptions = {
  readonly log: EventLog;
  readonly bus: MessageBus;
  readonly checkpoints: CheckpointStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Log;
  /** First token of every subject; opslog when not given. */
  readonly subjectPrefix?: string;
  /** Messages on their way at once; 256 when not given. */
  readonly window?: number;
};

type Sending = Omit<PublisherOptions, 'checkpoints'>;

export type PublisherStatus = {
  /** Everything up to here is stored on the bus. */
  readonly position: Position;
  /** Nothing more waited in the log when it was last asked. */
  readonly caughtUp: boolean;
  /** Age of the oldest event that is read and not yet stored, 0 when there is none. */
  readonly lagMs: number;
  readonly inFlight: number;
  readonly published: number;
  readonly duplicates: number;
  readonly failures: number;
  /** Why the last attempt failed; '' after one that did not. */
  readonly lastError: string;
};

export type Republished = { readonly published: number; readonly duplicates: number; readonly position: Position };

export type Publisher = {
  status(): PublisherStatus;
  /**
   * Publishes `after` (exclusive) to `to` (inclusive; the present end when not given) again. The message ids are of this
   * run, because a bus remembers ids of messages that it no longer has; a consumer recognises the event by its own id.
   * The checkpoint stays. Throws when the signal aborts.
   */
  republish(range: { after?: Position; to?: Position; signal?: AbortSignal }): Promise<Republished>;
  stop(): Promise<void>;
};

const checkpointName = 'publisher';
const maxBatch = 1_024;
const backoff = { firstMs: 100, ceilingMs: 10_000 };

type Counts = { published: number; duplicates: number; failures: number; inFlight: number; lastError: string };

/**
 * Follows the log and stores every event on the bus: at least once, in the order of its stream, with many streams on
 * their way at once. The checkpoint moves only over what the bus has acknowledged.
 */
export const startPublisher = (options: PublisherOptions): Publisher => {
  const { log, checkpoints, clock, logger } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const counts = newCounts();
  let position: Position = 0n;
  let caughtUp = false;
  let oldest: number | undefined;

  const follow = async (): Promise<void> => {
    for await (const batch of log.subscribe({ after: position, maxBatch, signal })) {
      oldest = batch.events[0]?.recordedAt;
      caughtUp = false;
      // Not before: what waits while the bus is away is to be seen in the status.
      await ready;
      await publishAll(options, batch.events, signal, counts);
      if (signal.aborted) return;
      oldest = undefined;
      position = batch.position;
      caughtUp = batch.caughtUp;
      // One that is not saved only means that the bus sees some messages a second time after a restart.
      await checkpoints.save(checkpointName, position).catch((error: unknown) => {
        logger.warn({ err: error }, 'publisher: the checkpoint cannot be saved now');
      });
    }
  };
  const ready = patiently(options, signal, counts, () => options.bus.ready());
  const followForEver = async (): Promise<void> => {
    position = (await patiently(options, signal, counts, () => checkpoints.load(checkpointName))) ?? 0n;
    await fromTheBeginningWhenRewound(follow, () => {
      logger.error({ position: String(position) }, 'publisher: the log is another one; publishing all of it');
      position = 0n;
    });
  };
  const following = followForEver();
  following.catch((error: unknown) => logger.error({ err: error }, 'publisher: stopped'));

  return {
    status: () => ({
      ...counts,
      position,
      caughtUp,
      lagMs: oldest === undefined ? 0 : Math.max(0, clock.now() - oldest),
    }),
    republish: (range) => republish(options, range),
    stop: async () => {
      stopping.abort();
      await following.catch(() => undefined);
    },
  };
};

const newCounts = (): Counts => ({ published: 0, duplicates: 0, failures: 0, inFlight: 0, lastError: '' });

/** The same for a process that does not follow the log, such as an operator's command. */
export const republish = async (
  options: Sending,
  { after = 0n, to, signal = new AbortController().signal }: { after?: Position; to?: Position; signal?: AbortSignal },
): Promise<Republished> => {
  const end = to ?? (await options.log.head());
  const counts = newCounts();
  const run = options.random.uuid();
  let position = after;
  for await (const batch of options.log.readAllBatches({ after, maxBatch })) {
    const events = batch.events.filter((event) => event.position <= end);
    await publishAll(options, events, signal, counts, run);
    signal.throwIfAborted();
    position = events.at(-1)?.position ?? position;
    if (batch.position >= end) break;
  }
  return { published: counts.published, duplicates: counts.duplicates, position };
};

/** Resolves when the bus has stored them all, or the signal aborts. */
const publishAll = async (
  options: Sending,
  events: readonly StoredEvent[],
  signal: AbortSignal,
  counts: Counts,
  run = '',
): Promise<void> => {
  const byStream = new Map<string, StoredEvent[]>();
  for (const event of events) {
    const queue = byStream.get(event.stream);
    if (queue) queue.push(event);
    else byStream.set(event.stream, [event]);
  }
  // One message per stream is on its way at a time: one that is lost and sent again never falls behind its successor.
  const queues = byStream.values();
  const work = async (): Promise<void> => {
    for (const queue of queues) {
      for (const event of queue) await publishOne(options, event, signal, counts, run);
    }
  };
  const workers = Math.min(options.window ?? 256, byStream.size);
  await Promise.all(Array.from({ length: workers }, work));
};

const publishOne = async (
  options: Sending,
  stored: StoredEvent,
  signal: AbortSignal,
  counts: Counts,
  run: string,
): Promise<void> => {
  const event = toCloudEvent(stored);
  if (event === undefined) return;
  const plain = toBusMessage(options.subjectPrefix ?? 'opslog', event, options.bus.maxPayloadBytes());
  const message: BusMessage = run === '' ? plain : { ...plain, id: `${plain.id}:${run}` };
  counts.inFlight += 1;
  try {
    const stored = await patiently(options, signal, counts, () => options.bus.publish(message));
    if (stored === undefined) return;
    if (stored.duplicate) counts.duplicates += 1;
    else counts.published += 1;
  } finally {
    counts.inFlight -= 1;
  }
};

/** Tries until it works; undefined once the signal aborts. */
const patiently = async <Result>(
  { clock, random, logger }: Sending,
  signal: AbortSignal,
  counts: Counts,
  work: () => Promise<Result>,
): Promise<Result | undefined> => {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      const result = await work();
      counts.lastError = '';
      return result;
    } catch (error) {
      counts.failures += 1;
      const reason = errorMessage(error);
      // An outage fails everything in flight: one line says it.
      if (reason !== counts.lastError) logger.warn({ err: error, attempt }, 'publisher: will try again');
      counts.lastError = reason;
      await clock.sleep(backoffMs(attempt, backoff, random.fraction()), signal);
    }
  }
  return undefined;
};
