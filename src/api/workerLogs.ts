import { z } from 'zod';
import { sha256 } from '../commands/envelope.ts';
import { edgeWorkerId } from '../domain/identifiers.ts';
import { type LogBatch, type LogStart, liveCursor, type ReadLine } from '../platform/workerLogs/port.ts';
import { departmentOperation, rateExceeded } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { noEdgeWorker } from './edgeWorker.ts';
import { streamHeaders } from './eventStream.ts';
import type { DepartmentMembership } from './guard.ts';
import { streamLines } from './logStream.ts';
import { isoTime } from './models.ts';
import { noBody, type Operation } from './operation.ts';
import { isRefusal, type Refusal, refuse } from './problem.ts';
import { stillAllowed } from './stillAllowed.ts';

const tag = 'Edge workers';
const path = '/workspaces/{workspaceId}/departments/{departmentId}/worker/logs';

const startFields = {
  since: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .optional()
    .meta({ description: 'Lines from this instant on, as RFC 3339 writes it.' }),
  after: z.string().max(2_048).optional().meta({ description: 'Lines after this cursor.' }),
};

const logLine = z
  .strictObject({
    cursor: z.string().meta({ description: 'The place right after this line.' }),
    at: z.string().meta({ format: 'date-time' }),
    revision: z.number().int().nullable(),
    origin: z.enum(['console', 'runtime', 'platform']),
    level: z.string(),
    message: z.string().meta({ description: 'Secrets and variables of the worker are masked in it.' }),
  })
  .meta({ id: 'WorkerLogLine' });

const logPage = z
  .strictObject({
    items: z.array(logLine),
    next: z.string().meta({ description: 'Give it as `after` to read on; there need not be anything yet.' }),
    dropped: z.number().int().meta({ description: 'Lines between the given cursor and the last item that are gone.' }),
  })
  .meta({ id: 'WorkerLogPage' });

const showLine = ({ cursor, at, revision, origin, level, message }: ReadLine): z.input<typeof logLine> => ({
  ...{ cursor, at: isoTime(at), revision: revision === 0 ? null : revision, origin, level, message },
});

const problems = ['WorkspaceNotFound', 'DepartmentNotFound', 'EdgeWorkerNotFound', 'LogsUnavailable'] as const;

type Found = { readonly workerId: string; readonly scriptName: string; readonly provider: string };

const findWorker = async (deps: ApiDeps, { departmentId }: DepartmentMembership) => {
  const workerId = edgeWorkerId(sha256, departmentId);
  const { state } = await deps.aggregates.edgeWorker.load(workerId);
  if (state.status === 'absent') return noEdgeWorker;
  return { workerId, scriptName: state.scriptName, provider: state.placement?.provider ?? 'workerd' } satisfies Found;
};

const startOf = (
  { workerLogs }: ApiDeps,
  after: string | undefined,
  since: number | undefined,
  provider: string,
): LogStart | Refusal<'RequestInvalid'> => {
  const known = provider === 'cloudflare' ? after === liveCursor : (workerLogs?.isCursor(after ?? '') ?? true);
  if (after !== undefined && !known) {
    return refuse('RequestInvalid', 'This is no cursor of these lines.', { field: 'after' });
  }
  if (after !== undefined) return { from: 'cursor', cursor: after };
  return since === undefined ? { from: 'newest' } : { from: 'time', at: since };
};

const noneKept = refuse('LogsUnavailable', 'Lines of workers are not kept here.');
const noneReadBack = refuse(
  'LogsUnavailable',
  'Cloudflare keeps no lines of this worker that could be read back: follow them at …/worker/logs/stream.',
);
const noTail = refuse('LogsUnavailable', 'This installation cannot reach the provider that the worker runs on.');

const read = departmentOperation(
  {
    id: 'readWorkerLogs',
    method: 'get',
    ownTime: true,
    path,
    tag,
    summary: 'Lines that the worker wrote, oldest first',
    description: 'Without `since` and `after` the newest ones. What is kept is limited; what is gone is counted.',
    role: 'VIEWER',
    query: z.strictObject({
      ...startFields,
      limit: z
        .string()
        .regex(/^\d{1,4}$/, 'A number from 1 to 1000.')
        .transform(Number)
        .pipe(z.number().int().min(1).max(1_000))
        .default(100)
        .meta({ description: 'Lines at most, from 1 to 1000.' }),
    }),
    body: noBody,
    success: { status: 200, description: 'The lines', schema: logPage },
    problems,
  },
  async ({ deps, who, query }) => {
    const found = await findWorker(deps, who);
    if (isRefusal(found)) return found;
    if (found.provider === 'cloudflare') return noneReadBack;
    if (!deps.workerLogs) return noneKept;
    const start = startOf(deps, query.after, query.since, found.provider);
    if (isRefusal(start)) return start;
    const { lines, cursor } = await deps.workerLogs.page(found.scriptName, start, query.limit);
    const dropped = lines.reduce((sum, line) => sum + line.droppedBefore, 0);
    return { status: 200, body: { items: lines.map(showLine), next: cursor, dropped } };
  },
);

const openBatches = async (
  deps: ApiDeps,
  { workerId, scriptName, provider }: Found,
  start: LogStart,
  signal: AbortSignal,
): Promise<AsyncIterable<LogBatch> | Refusal<'LogsUnavailable'>> => {
  if (provider !== 'cloudflare') return deps.workerLogs?.follow(scriptName, start, signal) ?? noneKept;
  const tail = await deps.openTail?.(workerId, signal);
  if (!tail) return noTail;
  return tail.ok ? tail.batches : refuse('LogsUnavailable', tail.detail, { retryAfterSeconds: 10 });
};

const follow = departmentOperation(
  {
    id: 'followWorkerLogs',
    method: 'get',
    ownTime: true,
    path: `${path}/stream`,
    tag,
    summary: 'Lines that the worker writes, as they come',
    description:
      'Server-sent events: each `message` is a line as JSON with its cursor as id, so that Last-Event-ID resumes without a ' +
      'line lost or twice while they are kept. `dropped` tells how many lines are gone (null: nobody knows), `open` the ' +
      'place where the stream begins, `end` why it is over. Without `since`, `after` and Last-Event-ID it begins now.',
    role: 'VIEWER',
    query: z.strictObject(startFields),
    body: noBody,
    success: { status: 200, description: 'The stream', schema: z.string(), mediaType: 'text/event-stream' },
    problems,
  },
  async ({ deps, request, who, query }) => {
    const found = await findWorker(deps, who);
    if (isRefusal(found)) return found;
    const lastId = request.raw.headers['last-event-id'];
    const resumed = typeof lastId === 'string' && lastId !== '' ? lastId : undefined;
    const start = startOf(deps, resumed ?? query.after, query.since, found.provider);
    if (isRefusal(start)) return start;
    // Whoever only asks for the head gets no stream that would have to end.
    if (request.method === 'HEAD') return { status: 200, body: '', headers: streamHeaders };
    const release = request.limiters.streams.take(who.workspaceId, `${who.caller.actor.kind}/${who.caller.actor.id}`);
    if (!release) return rateExceeded(10);
    const over = new AbortController();
    const signal = deps.streamsEnding ? AbortSignal.any([over.signal, deps.streamsEnding]) : over.signal;
    const end = (): void => {
      over.abort();
      release();
    };
    const opened = await openBatches(deps, found, start, signal).catch((error: unknown) => {
      end();
      throw error;
    });
    if (isRefusal(opened)) {
      end();
      return opened;
    }
    const allowed = () => stillAllowed(request, who, 'VIEWER');
    const gap = found.provider === 'cloudflare' && start.from === 'cursor';
    return {
      status: 200,
      body: '',
      headers: streamHeaders,
      stream: async (response) => {
        response.once('close', end);
        if (response.destroyed) end();
        await streamLines(response, opened, { signal, clock: deps.clock, allowed, gap }).finally(end);
      },
    };
  },
);

export const workerLogOperations: readonly Operation[] = [read, follow];
