import { decode } from '../commands/envelope.ts';
import { eventSchemas } from '../commands/eventSchemas.ts';
import type { OpslogEvent } from '../domain/catalog.ts';
import type { Recorded } from '../domain/kernel.ts';
import type { Clock } from '../platform/clock/port.ts';
import type { EventLog, Position } from '../platform/eventLog/port.ts';
import type { Log } from '../platform/log/port.ts';

/** Turns a fact into commands. It may see a fact twice: command ids derive from the event id, so that is harmless. */
export type Reactor = {
  readonly name: string;
  /** Asked of every event there is, so that most of them cost no more than the question. */
  readonly wants: (event: Recorded<OpslogEvent>) => boolean;
  readonly react: (event: Recorded<OpslogEvent>) => Promise<void>;
};

/** A reactor to facts of these types alone. */
export const reactTo = <Type extends OpslogEvent['type']>(
  name: string,
  types: readonly Type[],
  react: (event: Recorded<Extract<OpslogEvent, { readonly type: Type }>>) => Promise<void>,
): Reactor => {
  const wanted: ReadonlySet<string> = new Set(types);
  type Wanted = Recorded<Extract<OpslogEvent, { readonly type: Type }>>;
  const wants = (event: Recorded<OpslogEvent>): event is Wanted => wanted.has(event.type);
  return { name, wants, react: async (event) => (wants(event) ? react(event) : undefined) };
};

export type CheckpointStore = {
  load(name: string): Promise<Position>;
  save(name: string, position: Position): Promise<void>;
};

/** Follows the log for all reactors. A reaction that fails is tried again, with a pause, before anything after it. */
export const startReactors = (options: {
  /** Where they are is kept by this name. Reactors to facts that were there before them need one of their own. */
  readonly name?: string;
  readonly log: EventLog;
  readonly reactors: readonly Reactor[];
  readonly checkpoints: CheckpointStore;
  readonly clock: Clock;
  readonly logger: Log;
}): { stop(): Promise<void>; position(): Position } => {
  const { name = 'reactors', log, checkpoints, clock, logger } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let position: Position = 0n;

  const reactUntilDone = async (reactor: Reactor, event: Recorded<OpslogEvent>): Promise<void> => {
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        return await reactor.react(event);
      } catch (error) {
        logger.warn(
          { err: error, reactor: reactor.name, eventId: event.meta.eventId, attempt },
          'reactor: will try again',
        );
        await clock.sleep(Math.min(30_000, 200 * 2 ** Math.min(attempt, 8)), signal);
      }
    }
  };

  const follow = async (): Promise<void> => {
    for await (const batch of log.subscribe({ after: position, signal })) {
      for (const stored of batch.events) {
        const event = decode(stored);
        const wanting = event ? options.reactors.filter((reactor) => reactor.wants(event)) : [];
        if (event === undefined || wanting.length === 0) continue;
        if (!isWhole(event)) {
          logger.error({ eventId: stored.id, type: stored.type }, 'reactor: an event without its data is passed over');
          continue;
        }
        for (const reactor of wanting) await reactUntilDone(reactor, event);
      }
      if (signal.aborted) return;
      position = batch.position;
      // A checkpoint that is not saved only means that harmless reactions are repeated after a restart.
      await checkpoints.save(name, position).catch((error: unknown) => {
        logger.warn({ err: error }, 'reactor: the checkpoint cannot be saved now');
      });
    }
  };
  const followForEver = async (): Promise<void> => {
    position = await loadPatiently({ ...options, name }, signal);
    await fromTheBeginningWhenRewound(follow, () => {
      logger.error({ position: String(position) }, 'reactor: the log is another one; beginning again');
      position = 0n;
    });
  };
  const following = followForEver();
  following.catch((error: unknown) => logger.error({ err: error }, 'reactor: stopped'));
  return {
    position: () => position,
    stop: async () => {
      stopping.abort();
      await following.catch(() => undefined);
    },
  };
};

/** Another writer can put anything under our names; no number of attempts would make sense of it. */
const isWhole = ({ type, data }: Recorded<OpslogEvent>): boolean => eventSchemas[type].safeParse(data).success;

/** A log that was put back to an older state holds new events under old positions: none may be missed. */
export const fromTheBeginningWhenRewound = async (follow: () => Promise<void>, rewind: () => void): Promise<void> => {
  try {
    await follow();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'LogRewound') throw error;
    rewind();
    await follow();
  }
};

const loadPatiently = async (
  { name, checkpoints, clock, logger }: { name: string; checkpoints: CheckpointStore; clock: Clock; logger: Log },
  signal: AbortSignal,
): Promise<Position> => {
  while (!signal.aborted) {
    try {
      return await checkpoints.load(name);
    } catch (error) {
      logger.warn({ err: error }, 'reactor: the checkpoint cannot be read now');
      await clock.sleep(1_000, signal);
    }
  }
  return 0n;
};
