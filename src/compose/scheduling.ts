import type { Parts } from '../parts.ts';
import { systemClock } from '../platform/clock/system.ts';
import type { NodeProvider } from '../platform/edge/port.ts';
import { createScheduleRules } from '../platform/schedule/croner.ts';
import type { JobKinds } from '../sagas/jobs/effect.ts';
import { runSchedule, runScheduleKind } from '../sagas/runSchedule.ts';
import { startScheduler } from '../sagas/scheduler.ts';
import type { Closing } from './closing.ts';

export const scheduleJobKinds = ({ aggregates }: Pick<Parts, 'aggregates'>, provider: NodeProvider): JobKinds => ({
  [runScheduleKind]: runSchedule({ workers: aggregates.edgeWorker, provider, clock: systemClock }),
});

/** Schedules of the workers of this machine; Cloudflare keeps its own. */
export const startScheduling = ({ aggregates, queries, logger }: Parts, closing: Closing): void => {
  const scheduler = startScheduler({
    ...{ aggregates, rules: createScheduleRules(), clock: systemClock, log: logger },
    scheduled: () => queries.scheduledWorkers({ provider: 'workerd' }),
  });
  closing.add(() => scheduler.stop());
};
