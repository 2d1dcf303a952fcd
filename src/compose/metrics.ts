import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CommittedBatch } from '../projections/engine/projector.ts';

/** Everything measured, in one registry per process. */
export const createMetrics = () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'opslog_' });
  const registers = [registry];
  const events = new Counter({
    name: 'opslog_projected_events_total',
    help: 'Events applied to the read tables.',
    registers,
  });
  const rows = new Counter({
    name: 'opslog_projected_rows_total',
    help: 'Rows written to the read tables.',
    registers,
  });
  const batches = new Histogram({
    name: 'opslog_projection_batch_seconds',
    help: 'Time to write one batch with its checkpoints.',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  });
  const halved = new Counter({
    name: 'opslog_projection_batches_halved_total',
    help: 'Writes of several events that a read table refused together, so that they were tried again in halves.',
    labelNames: ['table'] as const,
    registers,
  });
  return {
    registry,
    batchProjected: (batch: CommittedBatch): void => {
      events.inc(batch.events);
      rows.inc(batch.rows);
      batches.observe(batch.durationMs / 1_000);
    },
    batchHalved: (table: string): void => halved.inc({ table }),
    /** A figure that is looked up when somebody asks. */
    gauge: (name: string, help: string, read: () => number): void => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    },
  };
};

export type Metrics = ReturnType<typeof createMetrics>;
