import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Envelope } from '../commands/envelope.ts';
import type { Outcome } from '../commands/outcome.ts';
import { maskSecrets } from '../domain/masking.ts';
import type { Role } from '../domain/roles.ts';
import type { Position } from '../platform/eventLog/port.ts';
import type { Payload } from './body.ts';
import type { ApiDeps, ApiLimits } from './deps.ts';
import { asThen, type LookBack, untilKnown } from './past.ts';
import { invalid, isRefusal, type Refusal, refuse } from './problem.ts';
import { bodyOf, caughtUp, momentOf, queryOf } from './reading.ts';
import { type Acting, type ApiRequest, envelopeOf, type Preferences, preferencesOf } from './request.ts';
import type { Method } from './routeTable.ts';
import type { HttpProblem, ProblemCode } from './statuses.ts';
import { bitByBit, inTurn, type MakeBit, type TurnKind } from './turns.ts';

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
/** `/workspaces/{workspaceId}` gives `{ workspaceId: string }`. */
export type PathParams<Path extends string> = { readonly [Name in Names<Path>]: string };

export type Reply<Body> = {
  readonly status: number;
  readonly body: Body;
  /** Becomes the ETag. */
  readonly revision?: number;
  /** Becomes `Opslog-Position`. */
  readonly position?: Position;
  readonly headers?: Readonly<Record<string, string>>;
  /** Writes the body bit by bit in place of `body`, after the head; ends the response. */
  readonly stream?: (response: ServerResponse) => Promise<void>;
};
/** What a dry run answers instead. */
export type Rehearsal = { readonly rehearsal: true; readonly events: readonly unknown[] };

/** Problems that any command, or any operation, can give without saying so each time. */
export type CommandProblem = 'RevisionMismatch' | 'IdempotencyKeyReused' | 'StreamContended';
export type AnyProblem = HttpProblem;

export type BodySpec<Body> = {
  readonly schema: z.ZodType;
  readonly binary: readonly string[];
  readonly optional: boolean;
  readonly limitBytes: (limits: ApiLimits) => number;
  /** The parsed body, and what the command's digest is made of. */
  readonly parse: (
    payload: Payload,
  ) => { readonly body: Body; readonly content: unknown } | Refusal<'RequestInvalid' | 'BodyMalformed'>;
};

export type Spec<Path extends string, Query, Body, ReplyBody extends z.ZodType, Code extends ProblemCode> = {
  readonly id: string;
  readonly method: Method;
  readonly path: Path;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly query: z.ZodType<Query>;
  readonly body: BodySpec<Body>;
  readonly success: {
    readonly status: 200 | 201 | 202 | 204;
    readonly description: string;
    readonly schema: ReplyBody;
    /** `application/json` unless given; then `body` is the text itself. */
    readonly mediaType?: string;
    /** That a parameter asks for in its place. */
    readonly otherMediaTypes?: readonly string[];
  };
  readonly problems: readonly Code[];
  /** Takes no `?at=` like the other reads of a workspace: what it tells has times of its own, or it looks back by itself. */
  readonly ownTime?: true;
  /** False for a POST that changes nothing in the log. */
  readonly command?: boolean;
  /** How much more it costs than a small request, by its parameters as they came. */
  readonly weight?: (query: URLSearchParams) => number;
  /** Checked right after the caller, before the body is read. */
  readonly admit?: (request: ApiRequest, owner: string) => Refusal<AnyProblem> | undefined;
  /** What it takes turns with: `requests` unless given; look backs always with look backs. `none`: it costs next to nothing. */
  readonly turn?: TurnKind | 'none';
};

export type Call<Path extends string, Query, Body, Who> = {
  readonly deps: ApiDeps;
  readonly request: ApiRequest;
  readonly params: PathParams<Path>;
  readonly query: Query;
  readonly body: Body;
  readonly who: Who;
  /** For answers that are a stream. */
  readonly makeBit: MakeBit;
  /** Commands only: the envelope of this request under a tenant. */
  readonly envelope: (acting: Acting, tenant?: { workspaceId: string; departmentId?: string }) => Envelope;
};

export type Answer<ReplyBody extends z.ZodType, Code extends ProblemCode> =
  | Reply<z.input<ReplyBody>>
  | Rehearsal
  | Refusal<Code | AnyProblem | CommandProblem>;

export type Access =
  | { readonly kind: 'public' }
  /** Some are open to whoever has yet to change a password that the program made. */
  | { readonly kind: 'signedIn'; readonly beforePasswordChange: boolean }
  | { readonly kind: 'workspace' | 'department'; readonly role: Role };

/** An operation with its types folded away: what the router runs and the OpenAPI document describes. */
export type Operation = Pick<
  Spec<string, unknown, unknown, z.ZodType, ProblemCode>,
  'id' | 'method' | 'path' | 'tag' | 'summary' | 'success' | 'problems'
> & {
  readonly description: string | undefined;
  readonly access: Access;
  readonly isCommand: boolean;
  /** Takes `?at=`. */
  readonly looksBack: boolean;
  /** How much more it costs than a small request, by its parameters as they came. */
  readonly weight: (query: URLSearchParams) => number;
  readonly query: z.ZodType;
  readonly body: Pick<BodySpec<unknown>, 'schema' | 'binary' | 'optional'>;
  readonly run: (request: ApiRequest) => Promise<Reply<unknown> | Rehearsal | Refusal>;
};

export type Guard<Who> = (request: ApiRequest) => Promise<Who | Refusal> | Who | Refusal;

/** Who may call, and on whose account it is done. */
export type Entrance<Who> = {
  readonly access: Access;
  readonly guard: Guard<Who>;
  readonly ownerOf: (request: ApiRequest, who: Who) => string;
};

export type Handle<Path extends string, Query, Body, Who, ReplyBody extends z.ZodType, Code extends ProblemCode> = (
  call: Call<Path, Query, Body, Who>,
) => Promise<Answer<ReplyBody, Code>>;

/** A look back may make all tables of a workspace anew. */
export const lookBackWeight = 20;

/** Folds guard, parsing and handler into one function, in the order in which a request is judged. */
export const fold = <
  Path extends string,
  Query,
  Body,
  Who extends object,
  ReplyBody extends z.ZodType,
  Code extends ProblemCode,
>(
  spec: Spec<Path, Query, Body, ReplyBody, Code>,
  { access, guard, ownerOf }: Entrance<Who>,
  handle: Handle<Path, Query, Body, Who, ReplyBody, Code>,
): Operation => {
  const { id, method, path, tag, summary, description, success, problems, body, turn = 'requests' } = spec;
  const names = [...spec.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const isCommand = spec.command ?? spec.method !== 'get';
  const looksBack = takesMoment(spec, access.kind);
  const taken = new Set([...(isCommand ? [] : ['waitFor']), ...(looksBack ? ['at'] : [])]);
  const run = async (request: ApiRequest): Promise<Reply<unknown> | Rehearsal | Refusal> => {
    const who = await guard(request);
    if (isRefusal(who)) return who;
    const owner = ownerOf(request, who);
    request.owned?.(owner);
    const refused = spec.admit?.(request, owner);
    if (refused) return refused;
    const query = queryOf(spec.query, request, taken);
    if (isRefusal(query)) return query;
    const moment = looksBack ? momentOf(request) : undefined;
    if (moment && isRefusal(moment)) return moment;
    const behind = isCommand ? undefined : await caughtUp(request);
    if (behind) return behind;
    const preferences = preferencesOf(request.raw);
    if (isRefusal(preferences)) return preferences;
    const { deps, params, raw } = request;
    if (!isParams<Path>(names, params)) throw new Error(`Route ${spec.path} matched without its parameters.`);
    const unknown = moment && (await untilKnown(deps, moment.at));
    if (unknown) return unknown;
    const held = request.limiters.bodies.open({ caller: raw.headers.authorization ?? request.address, owner });
    try {
      const parse = await bodyOf(spec.body, request, held);
      if ('rejected' in parse) return parse;
      const work = async (given: Pick<ApiRequest, 'deps'>) => {
        if (request.limiters.answers.isFull(owner)) return unread;
        const read = parse();
        if (isRefusal(read)) return read;
        request.heard?.(read.content);
        const envelope = enveloper(request, preferences, read.content);
        const call = { deps: given.deps, request: { ...request, ...given }, params, query: query.value };
        return handle({ ...call, body: read.body, who, makeBit: bitByBit(request, owner), envelope });
      };
      // A deployment at its own address takes the parameter by itself.
      return await inTurn(request, request.query.has('at') ? 'lookBacks' : turn, owner, () =>
        moment ? asThen(request, placeOf(access, params, moment.at), work) : work({ deps }),
      );
    } finally {
      held.release();
    }
  };
  return {
    ...{ id, method, path, tag, summary, description, success, problems, access, isCommand, looksBack, body, run },
    weight: spec.weight ?? (() => 0),
    query: spec.query,
  };
};

const unread = refuse('RateExceeded', 'Answers to you lie here unread. Read them, and try again in 1 s.', {
  retryAfterSeconds: 1,
});

/** Reads of a workspace can be asked of any time. */
export const takesMoment = (
  { method, ownTime }: Pick<Spec<string, unknown, unknown, z.ZodType, ProblemCode>, 'method' | 'ownTime'>,
  access: Access['kind'],
): boolean => method === 'get' && ownTime !== true && (access === 'workspace' || access === 'department');

const placeOf = (access: Access, params: Readonly<Record<string, string>>, at: number): LookBack => ({
  workspaceId: params['workspaceId'] ?? '',
  departmentId: access.kind === 'department' ? params['departmentId'] : undefined,
  at,
});

const isParams = <Path extends string>(
  names: readonly string[],
  params: Readonly<Record<string, string>>,
): params is PathParams<Path> & Readonly<Record<string, string>> => names.every((name) => params[name] !== undefined);

const enveloper =
  (request: ApiRequest, preferences: Preferences, content: unknown) =>
  (acting: Acting, tenant: { workspaceId: string; departmentId?: string } = { workspaceId: '' }): Envelope =>
    envelopeOf(request, preferences, acting, { departmentId: '', ...tenant }, content);

export const jsonBody = <Schema extends z.ZodType>(
  schema: Schema,
  options: { readonly optional?: boolean } = {},
): BodySpec<z.output<Schema>> => ({
  schema,
  binary: [],
  optional: options.optional ?? false,
  limitBytes: (limits) => limits.jsonBytes,
  parse: (payload) => {
    const value = payload.kind === 'json' ? payload.value : options.optional ? {} : undefined;
    if (value === undefined) return refuse('BodyMalformed', 'A JSON body is needed here.');
    const parsed = schema.safeParse(value);
    return parsed.success ? { body: parsed.data, content: value } : invalid(parsed.error, 'body');
  },
});

/** The answer to a command: its refusal, what a dry run would have appended, or what `reply` makes of its value. */
export const answer = <Value, Code extends ProblemCode, Body>(
  outcome: Outcome<Value, Code>,
  envelope: Envelope,
  reply: (value: Value) => Reply<Body>,
): Reply<Body> | Rehearsal | Refusal<Code | CommandProblem> => {
  if (!outcome.ok) return outcome.rejection;
  if (envelope.dryRun) {
    const events = outcome.events.map(({ type, data }) => ({
      type,
      data: maskSecrets(data, { maxStringLength: 4_096 }),
    }));
    return { rehearsal: true, events };
  }
  return { revision: outcome.revision, position: outcome.position, ...reply(outcome.value) };
};

const empty = z.strictObject({});

/** For operations that take no parameters and no body. */
export const noQuery = empty;
export const noBody: BodySpec<z.output<typeof empty>> = {
  ...jsonBody(empty, { optional: true }),
  limitBytes: () => 1_024,
};
export const noInput = { query: noQuery, body: noBody } as const;
