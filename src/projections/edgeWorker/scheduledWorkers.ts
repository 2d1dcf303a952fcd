import type { ReadDatabase } from '../schema.ts';
import { parseSchedules } from '../values.ts';

export type ScheduledWorker = {
  readonly workerId: string;
  readonly companyId: string;
  readonly departmentId: string;
  readonly scriptName: string;
  readonly revision: number;
  readonly schedules: readonly { readonly cron: string; readonly timeZone: string }[];
};

/** Workers on the air at a provider whose live revision has schedules, across tenants. A paused one does not fire. */
export const listScheduledWorkers = async (
  db: ReadDatabase,
  { provider }: { readonly provider: string },
): Promise<readonly ScheduledWorker[]> => {
  const rows = await db
    .selectFrom('edge_workers as worker')
    .innerJoin('edge_worker_versions as version', 'version.id', 'worker.current_version_id')
    .select(['worker.id as workerId', 'worker.company_id as companyId', 'worker.department_id as departmentId'])
    .select(['worker.script_name as scriptName', 'version.revision as revision', 'version.schedules as schedules'])
    .where('worker.provider', '=', provider)
    .where('worker.status', '=', 'active')
    .where('worker.retired', '=', false)
    .where('version.schedules', '!=', '[]')
    .orderBy('worker.id')
    .execute();
  return rows
    .map(({ schedules, ...worker }) => ({ ...worker, schedules: parseSchedules(schedules) }))
    .filter(({ schedules }) => schedules.length > 0);
};
