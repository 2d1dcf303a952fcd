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
  const running = new Map<string, Promise<void>>();
  const busy = new Map<string, number>();
  let woken = new AbortController();

  const begin = (work: DueWork): void => {
    const effect = options.effects[work.operation];
    const { operation } = work;
    const alike = busy.get(operation) ?? 0;
    if (!effect || running.has(work.ticketId) || alike >= (options.atMost?.[operation] ?? concurrency)) return;
    busy.set(operation, alike + 1);
    const done = carryOut(effect, work, stopping.signal, log).then((became) => {
      running.delete(work.ticketId);
      busy.set(operation, (busy.get(operation) ?? 1) - 1);
      // Not leased means the tables are behind the log: looking again at once would only find the same row.
      if (became !== 'not leased') woken.abort();
    });
    running.set(work.ticketId, done);
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const awake = new AbortController();
      woken = awake;
      const free = concurrency - running.size;
      if (free > 0) {
        const due = await options.dueWork(free + running.size).catch((error: unknown) => {
          log.warn({ err: error }, 'runner: the due work cannot be read now');
          return [];
        });
        for (const work of due.slice(0, concurrency)) if (running.size < concurrency) begin(work);
      }
      await clock.sleep(options.pollMs, AbortSignal.any([awake.signal, stopping.signal]));
    }
  };
  const looping = loop();

  return {
    wake: () => woken.abort(),
    inFlight: () => running.size,
    stop: async () => {
      stopping.abort();
      await looping;
      await Promise.all(running.values());
    },
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
