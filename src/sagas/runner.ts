import type { Clock } from '../platform/clock/port.ts';
import type { Log } from '../platform/log/port.ts';

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

/** Carries one piece of work as far as it goes now, under a lease of its own; answers what became of it. */
export type Effect = (work: DueWork, signal: AbortSignal) => Promise<string>;

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
  const { lookAhead = 0 } = options;
  const running = new Map<string, Promise<void>>();
  /** What the newest look found and no hand has taken yet, in its order. */
  let backlog: readonly DueWork[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;
  const over = createEchoes(clock);
  const busy = new Map<string, number>();
  let woken = new AbortController();

  /** False when no hand is free for it now. */
  const begin = (work: DueWork): boolean => {
    const effect = options.effects[work.operation];
    const { operation, ticketId } = work;
    const alike = busy.get(operation) ?? 0;
    if (!effect || running.has(ticketId)) return true;
    if (running.size >= concurrency || alike >= (options.atMost?.[operation] ?? concurrency)) return false;
    busy.set(operation, alike + 1);
    const done = carryOut(effect, work, stopping.signal, log).then((became) => {
      running.delete(ticketId);
      busy.set(operation, (busy.get(operation) ?? 1) - 1);
      if (lookAhead > 0) {
        if (settled.has(became)) over.add(ticketId);
        if (stopping.signal.aborted || beginWhatIsKnown(operation)) return;
      }
      // Not leased means the tables are behind the log: looking again at once would only find the same row.
      if (became !== 'not leased') woken.abort('woken');
    });
    running.set(ticketId, done);
    return true;
  };
  /** Gives free hands what the newest look found. False when there is nothing left of this operation. */
  const beginWhatIsKnown = (operation: string): boolean => {
    const left = backlog.filter((work) => !begin(work));
    backlog = left;
    return left.some((work) => work.operation === operation);
  };
  /** What is known keeps the hands busy for a moment: looking at every commit would cost more than it tells. */
  const looksAgain = (): boolean => backlog.length < concurrency || clock.now() - lookedAt >= lookEveryMs;

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const awake = new AbortController();
      woken = awake;
      const looks = looksAgain();
      if (running.size < concurrency && looks) {
        lookedAt = clock.now();
        const due = await options.dueWork(concurrency + lookAhead).catch((error: unknown) => {
          log.warn({ err: error }, 'runner: the due work cannot be read now');
          return [];
        });
        const left = due.filter(({ ticketId }) => !over.has(ticketId)).filter((work) => !begin(work));
        backlog = lookAhead > 0 ? left : [];
      }
      // A look that was left out is made up for soon.
      await clock.sleep(looks ? options.pollMs : lookEveryMs, AbortSignal.any([awake.signal, stopping.signal]));
    }
  };
  const looping = loop();

  return {
    wake: () => woken.abort('woken'),
    inFlight: () => running.size,
    stop: async () => {
      stopping.abort();
      await looping;
      await Promise.all(running.values());
    },
  };
};

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

const carryOut = async (effect: Effect, work: DueWork, signal: AbortSignal, log: Log): Promise<string> => {
  const { ticketId, operation } = work;
  try {
    const became = await effect(work, signal);
    log.info({ ticketId, operation, became }, 'runner: carried out');
    return became;
  } catch (error) {
    // The lease runs out and the work comes back: nothing is lost by an accident here.
    log.error({ err: error, ticketId, operation }, 'runner: stopped by an unexpected error');
    return 'not leased';
  }
};
