import { createAggregates } from '../commands/aggregates.ts';
import type { HeldPast } from '../projections/past/past.ts';
import { logUpTo } from '../projections/past/pastLog.ts';
import type { Queries } from '../projections/queries.ts';
import type { ApiDeps } from './deps.ts';
import { noDepartment, noWorkspace } from './guard.ts';
import type { Rehearsal, Reply } from './operation.ts';
import { isRefusal, type Refusal, refuse } from './problem.ts';
import { onAccount } from './readCost.ts';
import type { ApiRequest } from './request.ts';

/** What a handler works with to answer as it did then: log, states, tables and clock of that time. */
export type PastView = {
  readonly deps: ApiDeps;
  /** Of the newest event that counts. */
  readonly position: number;
  readonly release: () => void;
};

export type LookBack = {
  readonly workspaceId: string;
  /** The one that the address names, which must have been there. */
  readonly departmentId: string | undefined;
  readonly at: number;
};

const notYet = refuse('RequestInvalid', 'This moment has not come yet.', { field: 'at' });
const behind = refuse('ProjectionBehind', 'The read tables have not everything up to now yet.', {
  retryAfterSeconds: 5,
});

/** Waits until the tables know everything up to now: before its turn, because nothing is done meanwhile. */
export const untilKnown = async (
  deps: ApiDeps,
  at: number,
): Promise<Refusal<'RequestInvalid' | 'ProjectionBehind'> | undefined> => {
  if (at > deps.clock.now()) return notYet;
  const reached = await deps.waitFor(await deps.log.head(), { timeoutMs: deps.limits.waitMs });
  return reached === 'reached' ? undefined : behind;
};

/**
 * Who may look is judged as of now, by the guard; here, whether there was anything to be seen. In its turn, and after
 * `untilKnown`: it folds streams from their beginning.
 */
const lookBack = async (
  deps: ApiDeps,
  { workspaceId, departmentId, at }: LookBack,
): Promise<PastView | Refusal<'WorkspaceNotFound' | 'DepartmentNotFound'>> => {
  const then = await deps.past.positionAt(workspaceId, at);
  if (!then) return noWorkspace;
  const clock = { now: () => at };
  const log = logUpTo(deps.log, BigInt(then.position));
  const aggregates = createAggregates({ log, ...clock });
  if ((await aggregates.workspace.load(workspaceId)).state.status !== 'active') return noWorkspace;
  if (departmentId !== undefined) {
    const { state } = await aggregates.department.load(departmentId);
    if (state.status !== 'active') return noDepartment;
  }
  let opening: Promise<HeldPast> | undefined;
  const queries = lateQueries(deps.queries, async () => {
    opening ??= deps.past.open(workspaceId, then);
    return (await opening).queries;
  });
  return {
    deps: {
      ...deps,
      log,
      clock,
      aggregates,
      queries,
      waitFor: async () => 'reached',
      asOf: { position: then.position, present: deps.queries },
    },
    position: then.position,
    release: () => void opening?.then((tables) => tables.release()).catch(() => undefined),
  };
};

/** Tables of then are made when the first question comes: what a handler finds in the log alone costs none. */
const lateQueries = (shape: Queries, open: () => Promise<Queries>): Queries =>
  new Proxy(shape, {
    get: (_shape, name) => async (args: unknown) => {
      const queries = await open();
      return Reflect.apply(Reflect.get(queries, name), queries, [args]);
    },
  });

/** Does the work with what was there then, and lets go of it. */
export const asThen = async <Result extends Reply<unknown> | Rehearsal | Refusal>(
  request: Pick<ApiRequest, 'deps' | 'limiters'>,
  place: LookBack,
  work: (view: Pick<PastView, 'deps'>) => Promise<Result>,
): Promise<Result | Refusal<'WorkspaceNotFound' | 'DepartmentNotFound'>> =>
  onAccount(request, { ...place, log: request.deps.log }, async (log) => {
    const view = await lookBack({ ...request.deps, log }, place);
    if (isRefusal(view)) return view;
    try {
      return asOf(view, await work({ deps: view.deps }));
    } finally {
      view.release();
    }
  });

/** Says up to where the log was looked at. */
const asOf = <Result extends Reply<unknown> | Rehearsal | Refusal>({ position }: PastView, result: Result): Result =>
  'status' in result ? { ...result, headers: { ...result.headers, 'Opslog-As-Of': String(position) } } : result;
