import type { ConvergeReport, DesiredWorker } from '../port.ts';
import { type Department, drain, dropCandidate, ensureHealthy, putOnAir, queue } from './department.ts';
import type { EdgeNode } from './node.ts';
import { keyOf } from './slot.ts';
import { checkSpec } from './spec.ts';

type Result =
  | { readonly scriptName: string; readonly kind: 'started' | 'kept' }
  | { readonly scriptName: string; readonly kind: 'failed'; readonly detail: string };

/** At most `width` at a time. */
const inParallel = async <T, R>(width: number, items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
  const waiting = items.values();
  const results: R[] = [];
  const worker = async (): Promise<void> => {
    for (const item of waiting) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
};

const converge = async (
  node: EdgeNode,
  department: Department,
  { spec }: DesiredWorker,
  signal: AbortSignal,
): Promise<Result> => {
  const { scriptName } = spec;
  const refusal = checkSpec(spec);
  if (refusal !== undefined) return { scriptName, kind: 'failed', detail: `${refusal.code}: ${refusal.detail}` };
  if (department.active?.key === keyOf(spec)) return { scriptName, kind: 'kept' };
  const prepared = await ensureHealthy(node, department, spec, signal);
  if (!prepared.ok)
    return { scriptName, kind: 'failed', detail: `${prepared.refusal.code}: ${prepared.refusal.detail}` };
  putOnAir(department, prepared.slot);
  return { scriptName, kind: 'started' };
};

/** Takes the script off the air and ends all its processes. */
export const stopDepartment = async (department: Department, graceMs: number): Promise<void> => {
  const { active } = department;
  department.active = undefined;
  await dropCandidate(department, graceMs);
  const leaving = [...department.leaving, ...(active === undefined ? [] : [active])];
  department.leaving.clear();
  await Promise.all(leaving.map((slot) => slot.stop(graceMs)));
};

/** Ends what was replaced, without holding up the rest. */
const drainLater = (node: EdgeNode, department: Department): void => {
  const { context, closing } = node;
  queue(department, () => drain(department, context, closing.signal))
    .then(node.sweepBundles)
    .catch((error: unknown) => {
      if (!closing.signal.aborted) context.log.error({ err: error }, 'edge: a replaced process was not drained');
    });
};

/** One worker as desired; what cannot be started leaves what runs in its place. */
export const convergeOne = async (node: EdgeNode, one: DesiredWorker): Promise<Result> => {
  const { scriptName } = one.spec;
  const department = node.departmentOf(scriptName);
  try {
    return await queue(department, () => converge(node, department, one, node.closing.signal));
  } catch (error) {
    return { scriptName, kind: 'failed', detail: error instanceof Error ? error.message : String(error) };
  } finally {
    if (department.leaving.size > 0) drainLater(node, department);
  }
};

/**
 * Makes the node run exactly what is desired. A candidate waiting for its switch is left to the ticket it belongs to; a
 * revision that cannot be started leaves what runs in its place and is reported.
 */
export const convergeNode = async (node: EdgeNode, desired: readonly DesiredWorker[]): Promise<ConvergeReport> => {
  const { departments } = node;
  const wanted = new Set(desired.map(({ spec }) => spec.scriptName));
  const unwanted = [...departments.values()].filter(
    ({ scriptName, active }) => active !== undefined && !wanted.has(scriptName),
  );
  const stopped = await Promise.all(
    unwanted.map((department) =>
      queue(department, async () => {
        await stopDepartment(department, 1_000);
        return department.scriptName;
      }),
    ),
  );
  const results = await inParallel(node.context.limits.parallelStarts, desired, (one) => convergeOne(node, one));
  const named = (kind: 'started' | 'kept'): readonly string[] =>
    results.filter((result) => result.kind === kind).map(({ scriptName }) => scriptName);
  const failed = results.flatMap((result) =>
    result.kind === 'failed' ? [{ scriptName: result.scriptName, detail: result.detail }] : [],
  );
  await node.sweepBundles();
  return { started: named('started'), stopped, kept: named('kept'), failed };
};
