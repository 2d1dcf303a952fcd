import { deliverKind, deliveryKinds } from '../commands/webhookDelivery.ts';
import type { Parts } from '../parts.ts';
import { systemClock, systemRandom } from '../platform/clock/system.ts';
import type { EdgeProvider, NodeProvider } from '../platform/edge/port.ts';
import type { DueJobsArgs } from '../projections/job/dueJobs.ts';
import type { DueWorkSource } from '../sagas/dueWork.ts';
import type { JobKinds } from '../sagas/jobs/effect.ts';
import { createJobs } from '../sagas/jobs/jobs.ts';
import type { Effect } from '../sagas/runner.ts';
import { runScheduleKind } from '../sagas/runSchedule.ts';
import { createDeliveryGate } from '../sagas/webhooks/gate.ts';
import { createJobKinds } from './jobKinds.ts';
import type { JobMetrics } from './jobMetrics.ts';
import type { ReadTablesPart } from './readTables.ts';

export type JobsPart = {
  readonly due: readonly DueWorkSource[];
  readonly effects: { readonly job: Effect; readonly firing: Effect; readonly delivery: Effect };
};

const leaseMs = 60_000;

/** The general queue, for the runner of this node: what runs code of tenants apart from what the platform does. */
export const createJobsPart = (
  parts: Parts,
  reads: ReadTablesPart,
  metrics: JobMetrics,
  node: { readonly name: string; readonly holder: string },
  providers: readonly EdgeProvider[],
  onMachine: NodeProvider,
  more: JobKinds,
): JobsPart => {
  const { aggregates, queries } = parts;
  const jobs = createJobs({
    ...{
      jobs: aggregates.job,
      kinds: { ...more, ...createJobKinds(parts, reads, providers, onMachine, metrics) },
      clock: systemClock,
      random: systemRandom,
    },
    ...{ holder: node.holder, leaseMs, observe: metrics.attempted },
  });
  const dueOf =
    (
      operation: 'job' | 'firing' | 'delivery',
      kinds: readonly string[],
      more: Pick<DueJobsArgs, 'notSubjects' | 'heldKinds'> = {},
    ): DueWorkSource =>
    async (limit) => {
      const due = await queries.dueJobs({ now: Date.now(), limit, kinds, node, ...more });
      return due.map(({ jobId, workspaceId, ...job }) => ({
        ...{ ...job, ticketId: jobId, operation, workerId: '', companyId: workspaceId },
        ...{ leaseHolder: job.leaseHolder ?? '', requestId: job.requestId ?? '' },
      }));
    };
  const gate = createDeliveryGate();
  const apart: readonly string[] = [runScheduleKind, ...deliveryKinds];
  return {
    effects: { job: jobs.effect, firing: jobs.effect, delivery: gate.around(jobs.effect) },
    due: [
      dueOf(
        'job',
        jobs.kinds.filter((kind) => !apart.includes(kind)),
      ),
      dueOf('firing', [runScheduleKind]),
      async (limit) => {
        const more = { notSubjects: gate.full(), heldKinds: [deliverKind] };
        return gate.admit(await dueOf('delivery', deliveryKinds, more)(limit));
      },
    ],
  };
};
