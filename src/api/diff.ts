import { z } from 'zod';
import { idField } from '../commands/fields.ts';
import { workspaceOperation } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { workspaceDiff } from './diffModels.ts';
import { diffThing } from './diffThing.ts';
import { fewAtATime } from './fewAtATime.ts';
import { readerOf } from './guard.ts';
import { isoTime } from './models.ts';
import { noBody, type Operation } from './operation.ts';
import { pageReply, pagingFields } from './paging.ts';
import { momentField } from './pointInTime.ts';
import { isRefusal, refuse } from './problem.ts';
import { publicStates } from './publicStates.ts';
import { onAccount } from './readCost.ts';

const kinds = Object.entries(publicStates).flatMap(([name, state]) => (state === 'notCompared' ? [] : [name]));
const notCompared = Object.keys(publicStates).filter((name) => !kinds.includes(name));

const word = z.string().regex(/^[\w.:/+=@-]{1,128}$/, 'Letters, digits and . : / + = @ - _.');

const query = z.strictObject({
  limit: z
    .string()
    .regex(/^\d{1,2}$/, 'A number from 1 to 50.')
    .transform(Number)
    .pipe(z.number().int().min(1).max(50))
    .default(20)
    .meta({ description: 'Things per page, from 1 to 50.' }),
  cursor: pagingFields.cursor,
  from: momentField
    .optional()
    .meta({ description: 'RFC 3339; a day before `to` when not given.', format: 'date-time' }),
  to: momentField.optional().meta({ description: 'RFC 3339; now when not given.', format: 'date-time' }),
  type: z.enum(kinds).optional().meta({ description: 'Only things of this kind.' }),
  actorId: word.optional().meta({ description: 'Only what this user, token or part of the platform changed.' }),
  departmentId: idField.optional().meta({ description: 'Only what facts of this department changed.' }),
});

const dayMs = 24 * 3_600_000;

/** Each asks some queries at once: all of a page would keep everybody else waiting for a connection. */
const thingsAtOnce = 3;

const notYet = refuse('RequestInvalid', 'This moment has not come yet.', { field: 'to' });
const reversed = refuse('RequestInvalid', '`from` must be before `to`.', { field: 'from' });
const behind = refuse('ProjectionBehind', 'The read tables have not everything up to now yet.', {
  retryAfterSeconds: 5,
});

const diff = workspaceOperation(
  {
    id: 'diffWorkspace',
    method: 'get',
    ownTime: true,
    path: '/workspaces/{workspaceId}/diff',
    tag: 'Workspaces',
    summary: 'Who changed what between two times',
    description:
      'Per thing that changed: what it was and is, field by field, the relations that began and ended, and the facts in ' +
      'between with who and which request. Of secrets only that there is another one. In the order of the first change; what ' +
      'is told depends on the role as it does for events.',
    role: 'VIEWER',
    turn: 'lookBacks',
    // Each thing is asked for several times, and its stream folded.
    weight: (asked) => 20 + Math.min(50, Math.max(1, Number(asked.get('limit')) || 20)),
    query,
    body: noBody,
    success: { status: 200, description: 'A page of changed things', schema: workspaceDiff },
    problems: ['WorkspaceNotFound'],
  },
  async ({ deps, request, who, query: { from, to, limit, cursor, ...filter } }) => {
    const now = deps.clock.now();
    const end = to ?? now;
    if (end > now) return notYet;
    const begin = from ?? end - dayMs;
    if (begin >= end) return reversed;
    if (!(await isCaughtUp(deps))) return behind;
    const { workspaceId } = who;
    const [since, upTo] = await Promise.all(
      [begin, end].map(async (at) => (await deps.past.positionAt(workspaceId, at))?.position ?? 0),
    );
    const span = { since: since ?? 0, upTo: upTo ?? 0 };
    const asked = { ...filter, ...span, ...readerOf(who), hidden: notCompared };
    const reply = await pageReply(
      request,
      { limit, cursor },
      async (page) => {
        const { rows, next } = await deps.queries.changedThings({ ...page, ...asked });
        const things = await onAccount(request, { workspaceId, log: deps.log }, (log) =>
          fewAtATime(rows, thingsAtOnce, (row) => diffThing({ ...deps, log }, who, span, row)),
        );
        return { rows: things.filter((thing) => thing !== undefined), next };
      },
      (thing) => thing,
    );
    if (isRefusal(reply)) return reply;
    const moment = (at: number, position: number) => ({ at: isoTime(at), position: String(position) });
    return { ...reply, body: { ...reply.body, from: moment(begin, span.since), to: moment(end, span.upTo) } };
  },
);

const isCaughtUp = async ({ log, waitFor, limits }: ApiDeps): Promise<boolean> =>
  (await waitFor(await log.head(), { timeoutMs: limits.waitMs })) === 'reached';

export const diffOperations: readonly Operation[] = [diff];
