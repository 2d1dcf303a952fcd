import { createAlarms } from '../alarms.ts';
import type { Effect } from '../runner.ts';
import { carryOutJob } from './carryOutJob.ts';
import type { JobDeps } from './deps.ts';

export type Jobs = {
  /** The kinds of job that this process knows: others need not be looked for. */
  readonly kinds: readonly string[];
  /** For the runner, as the operation `job`. */
  readonly effect: Effect;
};

/** The general queue as the runner sees it. Of whatever `<node>/` an earlier incarnation of this node held, it takes over. */
export const createJobs = (given: JobDeps): Jobs => {
  const deps = { ...given, alarms: given.alarms ?? createAlarms(given.clock) };
  const node = `${deps.holder.split('/', 1).join('')}/`;
  return {
    kinds: Object.keys(deps.kinds),
    effect: (work, stop, hand) => {
      const { ticketId: jobId, departmentId, requestId, correlationId, causationId } = work;
      const context = { workspaceId: work.companyId, departmentId, requestId, correlationId, causationId };
      return carryOutJob(deps, { jobId, context, takeover: work.leaseHolder.startsWith(node) }, stop, hand);
    },
  };
};
