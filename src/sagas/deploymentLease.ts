import type { Aggregate } from '../commands/send.ts';
import type {
  EdgeWorker,
  EdgeWorkerCommand,
  EdgeWorkerEvent,
  EdgeWorkerRejection,
} from '../domain/edgeWorker/index.ts';
import type { Clock } from '../platform/clock/port.ts';
import { systemEnvelope, type WorkContext } from './envelope.ts';

type Keeping = {
  readonly workers: Aggregate<EdgeWorkerCommand, EdgeWorkerEvent, EdgeWorker, EdgeWorkerRejection>;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly workerId: string;
  readonly ticketId: string;
  readonly leaseId: string;
  readonly leasedUntil: number;
  readonly context: WorkContext;
  /** Ends the keeping: the work is over, or the runner stops. */
  readonly over: AbortSignal;
  readonly lost: AbortController;
};

export type KeptLease = {
  /** It is about to end by this clock, whether or not a timer has said so yet: after a process stood still, work goes on first. */
  ranOut(): boolean;
  readonly ended: Promise<void>;
};

/**
 * Keeps a lease while steps take long. What is being done is aborted when somebody else holds it, and also a little before
 * it runs out unrenewed: a log that does not answer, or a process that stood still, must not leave two at work.
 */
export const keepLease = (keeping: Keeping): KeptLease => {
  const { workers, clock, leaseMs, workerId, ticketId, leaseId, context, lost } = keeping;
  const signal = AbortSignal.any([keeping.over, lost.signal]);
  /** Clocks of two nodes differ a little. */
  const marginMs = leaseMs / 10;
  let until = keeping.leasedUntil;
  const leftMs = (): number => until - marginMs - clock.now();
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      const left = leftMs();
      if (left <= 0) lost.abort();
      else await clock.sleep(left, signal);
    }
  };
  const renew = async (): Promise<void> => {
    for (let count = 1; !signal.aborted; count += 1) {
      await clock.sleep(leaseMs / 3, signal);
      if (signal.aborted) return;
      const leasedUntil = clock.now() + leaseMs;
      const command = { type: 'RenewDeploymentLease', data: { ticketId, leaseId, leasedUntil } } as const;
      const envelope = systemEnvelope('runner', context, 'renew', leaseId, String(count));
      const renewed = await workers.send(workerId, command, envelope).catch(() => undefined);
      if (renewed?.ok) until = Math.max(until, leasedUntil);
      else if (renewed) lost.abort();
    }
  };
  const ended = Promise.all([watch(), renew()]).then(() => undefined);
  return { ranOut: () => leftMs() <= 0, ended };
};
