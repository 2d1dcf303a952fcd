import { z } from 'zod';
import type { FeedArgs } from '../projections/event/feed.ts';
import { rateExceeded, workspaceOperation } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { streamHeaders } from './eventStream.ts';
import { streamFeed } from './feedStream.ts';
import { type Membership, readerOf } from './guard.ts';
import { noBody, type Operation } from './operation.ts';
import { isRefusal, type Refusal, refuse } from './problem.ts';
import { sameRights } from './stillAllowed.ts';

const tag = 'Events';

const word = z.string().regex(/^[\w.:-]{1,200}$/, 'Letters, digits and . : - _.');
const position = z.string().regex(/^\d{1,16}$/, 'A position of the log, a whole number.');

const feedFields = {
  after: position.optional().meta({ description: 'Events after this position of the log.' }),
  type: word
    .transform((text) => text.replace(/^opslog\.\w+\./, ''))
    .optional()
    .meta({ description: 'Only these, for example `DeploymentCompleted` or `opslog.edgeWorker.DeploymentCompleted`.' }),
  resourceType: word.optional().meta({ description: 'Only of this category, for example `edgeWorker`.' }),
  resourceId: word.optional().meta({ description: 'Only of what has this id.' }),
};

export const feedEvent = z
  .strictObject({
    specversion: z.literal('1.0'),
    id: z.string().meta({ description: 'Id of the event. A consumer that remembers it handles an event once.' }),
    source: z.string().meta({ description: '`/opslog/<category>/<id of the subject>`' }),
    type: z.string().meta({ description: '`opslog.<category>.<Event>`' }),
    subject: z.string().meta({ description: 'Id of what the event is about.' }),
    time: z.string().meta({ format: 'date-time' }),
    datacontenttype: z.literal('application/json'),
    data: z.unknown().meta({ description: 'Secrets are masked, long texts left out. asyncapi.json has the shapes.' }),
    position: z.string().meta({ description: 'Position in the log. It rises from event to event, with gaps.' }),
    revision: z.number().int().meta({ description: 'Counts the events of one subject from 0.' }),
    workspaceid: z.string().optional(),
    departmentid: z.string().optional(),
    correlationid: z.string().optional().meta({ description: 'The same for everything that one request led to.' }),
    causationid: z.string().optional(),
    actortype: z.string().optional(),
    actorid: z.string().optional(),
  })
  .meta({ id: 'Event', description: 'A CloudEvent 1.0.' });

const feedPage = z
  .strictObject({
    items: z.array(feedEvent),
    next: z.string().meta({ description: 'Give it as `after` to read on; there need not be anything yet.' }),
    more: z.boolean().meta({ description: 'There may be more at once, even when this page is empty.' }),
  })
  .meta({ id: 'EventPage' });

type Filters = Pick<FeedArgs, 'type' | 'resourceType' | 'resourceId'>;

const argsOf = (
  who: Membership,
  { type, resourceType, resourceId }: Filters,
  after: number,
  limit: number,
): FeedArgs => ({
  ...{ type, resourceType, resourceId, after, limit },
  ...readerOf(who),
});

/** A position beyond the log was never given out: by this log, at least, which may have been put back to an older state. */
const beyond = async ({ log }: ApiDeps, after: number): Promise<Refusal<'RequestInvalid'> | undefined> =>
  BigInt(after) > (await log.head())
    ? refuse(
        'RequestInvalid',
        'The log has not come to this position: it is of another log, or of one that was restored.',
        {
          field: 'after',
        },
      )
    : undefined;

const list = workspaceOperation(
  {
    id: 'listEvents',
    method: 'get',
    ownTime: true,
    path: '/workspaces/{workspaceId}/events',
    tag,
    summary: 'What happened in a workspace, as events, oldest first',
    description:
      'From the first event on unless `after` is given. With filters a page may be short or empty although there is more: ' +
      'read on with `next` while `more` is true.',
    role: 'VIEWER',
    query: z.strictObject({
      ...feedFields,
      limit: z
        .string()
        .regex(/^\d{1,3}$/, 'A number from 1 to 500.')
        .transform(Number)
        .pipe(z.number().int().min(1).max(500))
        .default(100)
        .meta({ description: 'Events at most, from 1 to 500.' }),
    }),
    body: noBody,
    success: { status: 200, description: 'Events', schema: feedPage },
    problems: ['WorkspaceNotFound'],
  },
  async ({ deps, who, query }) => {
    const after = Number(query.after ?? 0);
    const refused = after === 0 ? undefined : await beyond(deps, after);
    if (refused) return refused;
    const { events, next, more } = await deps.queries.feed(argsOf(who, query, after, query.limit));
    return { status: 200, body: { items: [...events], next: String(next), more } };
  },
);

/** Events that are read and written at a time. */
const pageSize = 200;

const follow = workspaceOperation(
  {
    id: 'followEvents',
    method: 'get',
    ownTime: true,
    path: '/workspaces/{workspaceId}/events/stream',
    tag,
    summary: 'Events of a workspace, as they come',
    description:
      'Server-sent events: each `message` is an event as JSON with its position in the log as id, so that Last-Event-ID ' +
      'resumes without an event lost or twice. `open` tells the place where the stream begins, `end` why it is over. ' +
      'Without `after` and Last-Event-ID it begins now.',
    role: 'VIEWER',
    query: z.strictObject(feedFields),
    body: noBody,
    success: { status: 200, description: 'The stream', schema: z.string(), mediaType: 'text/event-stream' },
    problems: ['WorkspaceNotFound'],
  },
  async ({ deps, request, who, makeBit, query }) => {
    const start = startOf(request.raw.headers['last-event-id'], query.after);
    if (isRefusal(start)) return start;
    const refused = start.after === undefined ? undefined : await beyond(deps, start.after);
    if (refused) return refused;
    // Whoever only asks for the head gets no stream that would have to end.
    if (request.method === 'HEAD') return { status: 200, body: '', headers: streamHeaders };
    const after = start.after ?? (await deps.queries.feedEnd(who));
    const release = request.limiters.streams.take(who.workspaceId, `${who.caller.actor.kind}/${who.caller.actor.id}`);
    if (!release) return rateExceeded(10);
    const over = new AbortController();
    const signal = deps.streamsEnding ? AbortSignal.any([over.signal, deps.streamsEnding]) : over.signal;
    const subscription = deps.feed.subscribe(who.workspaceId);
    const end = (): void => {
      over.abort();
      subscription.close();
      release();
    };
    return {
      status: 200,
      body: '',
      headers: streamHeaders,
      stream: async (response) => {
        response.once('close', end);
        if (response.destroyed) end();
        await streamFeed(response, {
          ...{ signal, clock: deps.clock, subscription, after },
          read: (from) => makeBit(signal, () => deps.queries.feed(argsOf(who, query, from, pageSize))),
          allowed: () => sameRights(request, who),
        }).finally(end);
      },
    };
  },
);

/** Last-Event-ID, which a client that comes back sends by itself, counts more than where it began. */
const startOf = (
  lastId: string | readonly string[] | undefined,
  after: string | undefined,
): { readonly after: number | undefined } | Refusal<'RequestInvalid'> => {
  if (typeof lastId !== 'string' || lastId === '') return { after: after === undefined ? undefined : Number(after) };
  if (position.safeParse(lastId).success) return { after: Number(lastId) };
  return refuse('RequestInvalid', 'This is no id that this feed gave out: they are positions of the log.', {
    field: 'Last-Event-ID',
  });
};

export const feedOperations: readonly Operation[] = [list, follow];
