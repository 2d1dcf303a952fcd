import { z } from 'zod';
import { sha256 } from '../commands/envelope.ts';
import { liveRevision } from '../domain/edgeWorker/index.ts';
import { edgeWorkerId } from '../domain/identifiers.ts';
import { departmentOperation } from './define.ts';
import { noEdgeWorker } from './edgeWorker.ts';
import { isoTime } from './models.ts';
import { noInput, type Operation } from './operation.ts';

const firing = z.strictObject({
  cron: z.string(),
  timeZone: z.string(),
  scheduledFor: z.string().meta({ format: 'date-time' }),
  status: z.string().meta({ description: 'Of the job that runs it.' }),
  detail: z.string().nullable(),
});

export const schedulesOfWorker = z
  .strictObject({
    revision: z.number().int().nullable().meta({ description: 'The live revision, whose schedules these are.' }),
    provider: z.string().nullable().meta({ description: 'Who fires them: this platform on-prem, Cloudflare itself.' }),
    firing: z.boolean().meta({ description: 'False while the worker is paused or not deployed.' }),
    schedules: z.array(
      z.strictObject({
        cron: z.string(),
        timeZone: z.string(),
        next: z.array(z.string().meta({ format: 'date-time' })).meta({ description: 'The next three instants.' }),
      }),
    ),
    lastFirings: z.array(firing).meta({ description: 'Newest first. On-prem only.' }),
  })
  .meta({ id: 'SchedulesOfWorker' });

const get = departmentOperation(
  {
    id: 'getSchedules',
    method: 'get',
    path: '/workspaces/{workspaceId}/departments/{departmentId}/worker/schedules',
    tag: 'Edge workers',
    summary: 'Schedules of the live revision',
    description:
      'A schedule of one minute and one hour fires once in an hour that the clock repeats, and right after an hour that it ' +
      'skips; any other fires in real time. A firing that may have begun is never begun again.',
    role: 'VIEWER',
    ...noInput,
    success: { status: 200, description: 'The schedules', schema: schedulesOfWorker },
    problems: ['WorkspaceNotFound', 'DepartmentNotFound', 'EdgeWorkerNotFound'],
  },
  async ({ deps, who }) => {
    const workerId = edgeWorkerId(sha256, who.departmentId);
    const { state } = await deps.aggregates.edgeWorker.load(workerId);
    if (state.status === 'absent') return noEdgeWorker;
    const live = state.revisions.find((each) => each.revision === liveRevision(state));
    const provider = state.placement?.provider ?? null;
    const now = deps.clock.now();
    const jobs = await deps.queries.jobs({
      ...{ workspaceId: who.workspaceId, role: who.role, kind: 'edge.runSchedule', subjectId: workerId, limit: 10 },
    });
    const schedules = (live?.schedules ?? []).map(({ cron, timeZone }) => ({
      ...{ cron, timeZone },
      next: deps.schedules.next({ cron, timeZone }, now, 3).map(isoTime),
    }));
    const lastFirings = jobs.rows.map(({ payload, status, detail, lastError }) => ({
      ...{ cron: String(payload['cron'] ?? ''), timeZone: String(payload['timeZone'] ?? ''), status },
      ...{ scheduledFor: isoTime(Number(payload['scheduledTime'] ?? 0)), detail: detail ?? lastError },
    }));
    return {
      status: 200,
      body: {
        ...{ revision: live?.revision ?? null, provider, schedules, lastFirings },
        firing: state.status === 'active' && !state.retired && provider !== null,
      },
    };
  },
);

export const scheduleOperations: readonly Operation[] = [get];
