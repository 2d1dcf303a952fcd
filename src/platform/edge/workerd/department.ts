import type { FencingToken, WorkerSpec } from '../port.ts';
import { askControl, differsFrom } from './control.ts';
import type { EdgeNode } from './node.ts';
import type { NodeContext } from './settings.ts';
import { keyOf, type Slot } from './slot.ts';

/** One script on this node: at most one revision on the air, one waiting to go on, and those on their way out. */
export type Department = {
  readonly scriptName: string;
  active: Slot | undefined;
  candidate: Slot | undefined;
  readonly leaving: Set<Slot>;
  /** The end of the work last queued: steps of one script never overlap. */
  tail: Promise<unknown>;
  /** The attempt that acted last, and how to end its work when a newer one comes. */
  holder: { readonly token: FencingToken; readonly superseded: AbortController } | undefined;
};

export type Refusal = { readonly code: string; readonly detail: string };
export type Prepared =
  | { readonly ok: true; readonly slot: Slot; readonly did: string }
  | { readonly ok: false; readonly refusal: Refusal };

export const newDepartment = (scriptName: string): Department => ({
  scriptName,
  active: undefined,
  candidate: undefined,
  leaving: new Set(),
  tail: Promise.resolve(),
  holder: undefined,
});

export const slotsOf = ({ active, candidate, leaving }: Department): readonly Slot[] =>
  [active, candidate, ...leaving].filter((slot) => slot !== undefined);

/** Runs when everything queued before for this script is over. */
export const queue = <T>(department: Department, work: () => Promise<T>): Promise<T> => {
  const result = department.tail.then(work, work);
  department.tail = result.catch(() => {});
  return result;
};

export const findSlot = ({ active, candidate }: Department, spec: WorkerSpec): Slot | undefined =>
  [active, candidate].find((slot) => slot?.key === keyOf(spec));

export const dropCandidate = async (department: Department, graceMs = 0): Promise<void> => {
  const { candidate } = department;
  department.candidate = undefined;
  await candidate?.stop(graceMs);
};

const refused = (code: string, detail: string): Prepared => ({ ok: false, refusal: { code, detail } });

/** A candidate whose ticket never comes back for it goes after a while. */
const expire = (node: EdgeNode, department: Department, slot: Slot): void => {
  const timer = setTimeout(() => {
    const drop = async (): Promise<void> => {
      if (department.candidate === slot) await dropCandidate(department);
    };
    queue(department, drop).catch((error: unknown) => node.context.log.error({ err: error }, 'edge: drop failed'));
  }, node.context.limits.candidateMs);
  timer.unref();
};

const startCandidate = async (
  node: EdgeNode,
  department: Department,
  spec: WorkerSpec,
  signal: AbortSignal,
): Promise<Prepared> => {
  const fetched = await node.bundles.ensure(spec.bundleDigest);
  if (!fetched.ok) return refused(fetched.code, fetched.detail);
  await dropCandidate(department);
  const started = await node.start(spec, signal);
  if (!started.ok) return refused(started.failure.code, started.failure.detail);
  department.candidate = started.slot;
  expire(node, department, started.slot);
  return { ok: true, slot: started.slot, did: `process ${started.slot.pid() ?? 'unknown'} started` };
};

/** The revision has a process afterwards: the one on the air, the candidate that was there, or a new candidate. */
export const ensureStarted = async (
  node: EdgeNode,
  department: Department,
  spec: WorkerSpec,
  signal: AbortSignal,
): Promise<Prepared> => {
  const existing = findSlot(department, spec);
  if (existing !== undefined) return { ok: true, slot: existing, did: 'already started' };
  return node.bundles.holding(spec.bundleDigest, () => startCandidate(node, department, spec, signal));
};

/** The revision has a process that says who it is and can answer HTTP; one that cannot is stopped. */
export const ensureHealthy = async (
  node: EdgeNode,
  department: Department,
  spec: WorkerSpec,
  signal: AbortSignal,
): Promise<Prepared> => {
  const prepared = await ensureStarted(node, department, spec, signal);
  if (!prepared.ok || prepared.slot === department.active) return prepared;
  const fail = async (code: string, detail: string): Promise<Prepared> => {
    await dropCandidate(department);
    return refused(code, detail);
  };
  const upstream = prepared.slot.upstream();
  const { probeDeadlineMs } = node.context.limits;
  const answer = upstream === undefined ? 'gone' : await askControl(upstream.controlSocket, probeDeadlineMs);
  if (typeof answer === 'string')
    return fail('WorkerUnresponsive', 'The worker started but does not answer its health check');
  if (!answer.handlesFetch) return fail('WorkerHandlerMissing', 'The default export has no fetch handler');
  const difference = differsFrom(spec, answer);
  return difference === undefined ? { ...prepared, did: 'healthy' } : fail('WorkerMixedUp', difference);
};

/** Puts a prepared candidate on the air. The route changes between two requests; the old process goes on with its own. */
export const putOnAir = (department: Department, slot: Slot): boolean => {
  if (department.active === slot) return false;
  if (department.active !== undefined) department.leaving.add(department.active);
  department.active = slot;
  department.candidate = undefined;
  return true;
};

/** Puts the revision that was on the air before back, and ends the one that replaced it. */
export const takeBack = async (department: Department): Promise<boolean> => {
  const previous = [...department.leaving].at(-1);
  if (previous?.upstream() === undefined) return false;
  const failed = department.active;
  department.leaving.delete(previous);
  department.active = previous;
  await failed?.stop(0);
  return true;
};

/** Ends every replaced process once it has nothing in flight, or at the end of its time. Answers how many were cut off. */
export const drain = async (department: Department, { limits }: NodeContext, signal: AbortSignal): Promise<number> => {
  const cutOff = await Promise.all(
    [...department.leaving].map(async (slot) => {
      const idle = await slot.idle(limits.drainMs, signal);
      signal.throwIfAborted();
      await slot.stop(idle ? 1_000 : 0);
      department.leaving.delete(slot);
      return idle ? 0 : 1;
    }),
  );
  return cutOff.reduce<number>((sum, one) => sum + one, 0);
};
