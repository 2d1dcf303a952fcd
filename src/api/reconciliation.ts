import { z } from 'zod';
import { idField } from '../commands/fields.ts';
import { requestReconciliation } from '../commands/reconciliation.ts';
import { workspaceOperation } from './define.ts';
import { needAllDepartments } from './guard.ts';
import { jobProblems } from './job.ts';
import { answer, jsonBody, noQuery, type Operation } from './operation.ts';

const reconcileSchema = z.strictObject({
  apply: z
    .boolean()
    .optional()
    .meta({ description: 'Also put right what is found. Without it nothing is changed, only told.' }),
});

const requestedReconciliation = z
  .strictObject({
    jobs: z.array(
      z.strictObject({
        provider: z.string(),
        jobId: idField,
        statusUrl: z.string().meta({ description: 'Its result has what was found, as JSON in `findings`.' }),
      }),
    ),
  })
  .meta({ id: 'RequestedReconciliation' });

const request = workspaceOperation(
  {
    id: 'reconcileWorkers',
    method: 'post',
    path: '/workspaces/{workspaceId}/workers/reconcile',
    tag: 'Edge workers',
    summary: 'Compare what the providers run with what should run',
    description: 'Looks at the workers of this workspace only. A job per provider tells what was found and done.',
    role: 'ADMIN',
    query: noQuery,
    body: jsonBody(reconcileSchema, { optional: true }),
    success: { status: 202, description: 'Asked for', schema: requestedReconciliation },
    problems: jobProblems,
  },
  async ({ deps, who, body, envelope }) => {
    const refused = needAllDepartments(who);
    if (refused) return refused;
    const { workspaceId } = who;
    const command = envelope(who.caller, { workspaceId });
    const providers = deps.edge.places.map(({ provider }) => provider);
    const mode = body.apply ? 'apply' : 'look';
    const wanted = { providers, companyId: workspaceId, mode, key: command.commandId } as const;
    return answer(await requestReconciliation(deps, wanted, command), command, ({ jobs }) => ({
      status: 202,
      body: { jobs: jobs.map((job) => ({ ...job, statusUrl: `/workspaces/${workspaceId}/jobs/${job.jobId}` })) },
    }));
  },
);

export const reconciliationOperations: readonly Operation[] = [request];
