import { setMaxListeners } from 'node:events';
import type { Clock } from '../platform/clock/port.ts';
import type { Log } from '../platform/log/port.ts';
import { createHands, type Hand } from './hand.ts';

/** Work that the read tables say is due now. */
export type DueWork = {
  readonly ticketId: string;
  readonly operation: string;
  readonly workerId: string;
  /** What a job is about. */
  readonly subjectId?: string;
  readonly companyId: string;
  readonly departmentId: string;
  /** `<node>/<incarnation>` of who holds the lease, '' when nobody does. */
  readonly leaseHolder: string;
  /** The request that asked for it, so that its trace goes on to the last side effect. */
  readonly requestId: string;
  readonly correlationId: string;
  readonly causationId: string;
};

/**
 * Carries one piece of work as far as it goes now, under a lease of its own; answers what became of it. One whose operation
 * is leased ahead takes the hand before it does anything outside.
 */
export type Effect = (work: DueWork, signal: AbortSignal, hand: Hand) => Promise<string>;

export type RunnerOptions = {
  readonly dueWork: (limit: number) => Promise<readonly DueWork[]>;
  readonly effects: Readonly<Record<string, Effect>>;
  readonly clock: Clock;
  readonly log: Log;
  /** How many pieces of work at once. */
  readonly concurrency: number;
  /** How many of some operation at once, where that is fewer. */
  readonly atMost?: Readonly<Record<string, number>>;
  /** Looks again after this long even when nobody called `wake`: for retries, and for leases that ran out. */
  readonly pollMs: number;
  /**
   * How much more to ask for than there are hands. It is begun without another look as hands become free, until the next
   * look says anew what comes first. None when not given: every look is for the hands that are free then.
   */
  readonly lookAhead?: number;
  /** Operations of which the next are leased while hands are busy, as long as they are quick; needs a look ahead. */
  readonly leasesAhead?: ReadonlySet<string>;
};

export type Runner = {
  /** There may be new work: look now. */
  wake(): void;
  inFlight(): number;
  /** Stops looking, asks what runs to stop, and waits for it. */
  stop(): Promise<void>;
};

/** The only part that touches the outside world. It finds work in the tables; the lease in the log decides who does it. */
export const startRunner = (options: RunnerOptions): Runner => {
  const { clock, log, concurrency } = options;
  const stopping = new AbortController();
  // Everything under way listens to it.
  setMaxListeners(0, stopping.signal);
  const { lookAhead = 0 } = options;
  const { atMost = {}, leasesAhead = nothing } = options;
  const hands = createHands({ clock, concurrency, atMost, leasesAhead: lookAhead > 0 ? leasesAhead : nothing });
  const running = new Map<string, Promise<void>>();
  /** What the newest look found and no hand has taken yet, by operation, in its order. */
  let backlog: ReadonlyMap<string, DueWork[]> = new Map();
  let lookedAt = Number.NEGATIVE_INFINITY;
  const over = createEchoes(clock);
  let woken = new AbortController();

  /** False when no hand is free for it now. */
  const begin = (work: DueWork): boolean => {
    const { operation, ticketId } = work;
    const effect = options.effects[operation];
    if (!effect || running.has(ticketId)) return true;
    if (running.size >= mostUnderWay * concurrency) return false;
    const hand = hands.begin(operation, () => {
      if (lookAhead > 0 && !stopping.signal.aborted) beginWhatIsKnown();
    });
    if (!hand) return false;
    const done = carryOut(effect, work, stopping.signal, hand, log).then((became) => {
      running.delete(ticketId);
      if (lookAhead > 0 && settled.has(became)) over.add(ticketId);
      hand.free();
      if (stopping.signal.aborted || (lookAhead > 0 && (backlog.get(operation)?.length ?? 0) > 0)) return;
      // Not leased means the tables are behind the log: looking again at once would only find the same row.
      if (became !== 'not leased') woken.abort('woken');
    });
    running.set(ticketId, done);
    return true;
  };
  /** Gives free hands what the newest look found. */
  const beginWhatIsKnown = (): void => {
    for (const left of backlog.values()) {
      for (let next = left[0]; next && begin(next); next = left[0]) left.shift();
    }
  };
  /** What is known keeps the hands busy for a moment: looking at every commit would cost more than it tells. */
  const looksAgain = (): boolean => sizeOf(backlog) < concurrency || clock.now() - lookedAt >= lookEveryMs;

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const awake = new AbortController();
      woken = awake;
      const looks = looksAgain();
      if (hands.areFree() && looks) {
        lookedAt = clock.now();
        const due = await options.dueWork(concurrency + lookAhead).catch((error: unknown) => {
          log.warn({ err: error }, 'runner: the due work cannot be read now');
          return [];
        });
        const left = due.filter(({ ticketId }) => !over.has(ticketId)).filter((work) => !begin(work));
        backlog = byOperation(lookAhead > 0 ? left : []);
      }
      // A look that was left out is made up for soon.
      await clock.sleep(looks ? options.pollMs : lookEveryMs, awake.signal);
    }
  };
  const looping = loop();

  return {
    wake: () => woken.abort('woken'),
    inFlight: () => running.size,
    stop: async () => {
      stopping.abort();
      woken.abort('stopping');
      hands.callBack();
      await looping;
      await Promise.all(running.values());
    },
  };
};

const nothing: ReadonlySet<string> = new Set();
/** What is begun and not yet told waits for the log. More than so many times the hands are not begun meanwhile. */
const mostUnderWay = 8;

const byOperation = (due: readonly DueWork[]): ReadonlyMap<string, DueWork[]> => {
  const lists = new Map<string, DueWork[]>();
  for (const work of due) {
    const list = lists.get(work.operation) ?? [];
    lists.set(work.operation, list);
    list.push(work);
  }
  return lists;
};
const sizeOf = (backlog: ReadonlyMap<string, DueWork[]>): number =>
  [...backlog.values()].reduce((sum, { length }) => sum + length, 0);

/** After this long the newest look is asked for what comes first even while there is enough to do. */
const lookEveryMs = 100;
/** So long a row may still say that something is due that is over. */
const echoMs = 2_000;
/** What never becomes due again. */
const settled: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'completed']);

/** What is over, but may be found due once more because the tables are a moment behind the log. */
const createEchoes = ({ now }: Pick<Clock, 'now'>) => {
  const since = new Map<string, number>();
  return {
    add: (ticketId: string): void => {
      since.set(ticketId, now());
      for (const [oldest, at] of since) {
        if (now() - at < echoMs) return;
        since.delete(oldest);
      }
    },
    has: (ticketId: string): boolean => now() - (since.get(ticketId) ?? Number.NEGATIVE_INFINITY) < echoMs,
  };
};

const carryOut = async (effect: Effect, work: DueWork, signal: AbortSignal, hand: Hand, log: Log): Promise<string> => {
  const { ticketId, operation } = work;
  try {
    const became = await effect(work, signal, hand);
    log.info({ ticketId, operation, became }, 'runner: carried out');
    return became;
  } catch (error) {
    // The lease runs out and the work comes back: nothing is lost by an accident here.
    log.error({ err: error, ticketId, operation }, 'runner: stopped by an unexpected error');
    return 'not leased';
  }
};
