import type { LiveWorkerAnswer } from '../answers.ts';
import type { ReadDatabase } from '../schema.ts';
import { parseStringMap, parseStrings } from '../values.ts';

/** What should be on the air, across tenants: every worker that is active or paused, with its current revision. */
export const listLiveWorkers = async (db: ReadDatabase): Promise<readonly LiveWorkerAnswer[]> => {
  const rows = await db
    .selectFrom('edge_workers as worker')
    .innerJoin('edge_worker_versions as version', 'version.id', 'worker.current_version_id')
    .select([
      'worker.id as workerId',
      'worker.company_id as workspaceId',
      'worker.department_id as departmentId',
      'worker.script_name as scriptName',
      'worker.status as status',
      'version.id as versionId',
      'version.revision as revision',
      'version.bundle_digest as bundleDigest',
      'version.compatibility_date as compatibilityDate',
      'version.compatibility_flags as flags',
      'version.variables as variables',
    ])
    .where('worker.status', 'in', ['active', 'paused'])
    .orderBy('worker.id')
    .execute();
  return rows.map(({ status, flags, variables, ...spec }) => ({
    spec: { ...spec, compatibilityFlags: parseStrings(flags), variables: parseStringMap(variables) },
    paused: status === 'paused',
  }));
};
