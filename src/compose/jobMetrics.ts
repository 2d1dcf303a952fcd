import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { JobCount } from '../projections/job/answers.ts';
import type { AttemptSeen } from '../sagas/jobs/deps.ts';

export type JobMetrics = {
  attempted(attempt: AttemptSeen): void;
  /** `status` 0: nothing was answered. */
  delivered(seen: { readonly status: number; readonly durationMs: number }): void;
};

/** Jobs that wait, run or were given up are counted in the read table when somebody asks; attempts as they are reported. */
export const createJobMetrics = (registry: Registry, count: () => Promise<readonly JobCount[]>): JobMetrics => {
  const registers = [registry];
  new Gauge({
    name: 'opslog_jobs',
    help: 'Jobs that wait, run, or are dead, by kind and status, in the whole installation.',
    labelNames: ['kind', 'status'] as const,
    registers,
    async collect() {
      // A database that is away must not take the other figures with it; what is shown then is nothing, not something old.
      const counts = await count().catch(() => []);
      this.reset();
      for (const { kind, status, count: found } of counts) this.set({ kind, status: status.toLowerCase() }, found);
    },
  });
  const attempts = new Counter({
    name: 'opslog_job_attempts_total',
    help: 'Attempts that this process reported, by kind of job and outcome.',
    labelNames: ['kind', 'outcome'] as const,
    registers,
  });
  const deliveries = new Histogram({
    name: 'opslog_webhook_answer_seconds',
    help: 'Time until a receiver answered, by the class of its status; none: it did not answer.',
    labelNames: ['status'] as const,
    buckets: [0.05, 0.1, 0.5, 1, 5, 15],
    registers,
  });
  return {
    attempted: ({ kind, outcome }) => attempts.inc({ kind, outcome }),
    delivered: ({ status, durationMs }) =>
      deliveries.observe({ status: status === 0 ? 'none' : `${Math.floor(status / 100)}xx` }, durationMs / 1_000),
  };
};
