import type { StepOutcome, WorkerSpec } from '../port.ts';
import { askFront, type Front } from './askFront.ts';
import { differsFrom } from './control.ts';
import {
  type Department,
  drain,
  ensureHealthy,
  ensureStarted,
  findSlot,
  type Prepared,
  putOnAir,
  takeBack,
} from './department.ts';
import type { EdgeNode } from './node.ts';
import { keyOf } from './slot.ts';

/** In the order in which they are performed. */
export const stepNames = ['fetch', 'start', 'probe', 'switch', 'verify', 'drain'] as const;
export type StepName = (typeof stepNames)[number];
export const isStepName = (step: string): step is StepName => stepNames.some((name) => name === step);

export type StepInput = {
  readonly node: EdgeNode;
  readonly department: Department;
  readonly spec: WorkerSpec;
  readonly signal: AbortSignal;
  /** Throws when a newer attempt has claimed the script; called right before anything that shows outside. */
  readonly holdFence: () => void;
  readonly front: Front;
};

const done = (detail: string): StepOutcome => ({ outcome: 'done', detail });
const refused = (code: string, detail: string): StepOutcome => ({ outcome: 'refused', code, detail });
const settle = (prepared: Prepared): StepOutcome =>
  prepared.ok ? done(prepared.did) : refused(prepared.refusal.code, prepared.refusal.detail);

const onAir = ({ department, spec }: StepInput): boolean => department.active?.key === keyOf(spec);

const fetchBundle = async ({ node, spec }: StepInput): Promise<StepOutcome> => {
  const fetched = await node.bundles.ensure(spec.bundleDigest);
  if (!fetched.ok) return refused(fetched.code, fetched.detail);
  return done(fetched.fetched ? 'bundle fetched, digest verified' : 'bundle already here, digest verified');
};

/** A step on a node that lost its processes first does again what precedes it: each of these is idempotent. */
const switchOver = async (input: StepInput): Promise<StepOutcome> => {
  const { node, department, spec, signal, holdFence } = input;
  if (onAir(input)) return done('already on the air');
  const prepared = await ensureHealthy(node, department, spec, signal);
  if (!prepared.ok) return settle(prepared);
  holdFence();
  putOnAir(department, prepared.slot);
  return done(`revision ${spec.revision} is on the air`);
};

/** Who answers at the script's host, as the world sees it? Undefined when it is this revision. */
const differsAtFront = async ({ front, spec, node }: StepInput): Promise<string | undefined> => {
  const signal = AbortSignal.timeout(node.context.limits.probeDeadlineMs * 2);
  const answer = await askFront(front, front.hostOf(spec.scriptName), signal);
  return typeof answer === 'string' ? answer : differsFrom(spec, answer);
};

const verify = async (input: StepInput): Promise<StepOutcome> => {
  const switched = await switchOver(input);
  if (switched.outcome !== 'done') return switched;
  const difference = await differsAtFront(input);
  if (difference === undefined) return done(`revision ${input.spec.revision} answers through the router`);
  input.holdFence();
  const restored = await takeBack(input.department);
  const detail = restored ? `${difference}; the revision before is back on the air` : difference;
  return restored ? refused('VerificationFailed', detail) : { outcome: 'retry', detail };
};

const drainOld = async (input: StepInput): Promise<StepOutcome> => {
  const switched = await switchOver(input);
  if (switched.outcome !== 'done') return switched;
  const count = input.department.leaving.size;
  const cutOff = await drain(input.department, input.node.context, input.signal);
  await input.node.sweepBundles();
  if (count === 0) return done('nothing to drain');
  return done(
    cutOff === 0 ? 'the process before has finished and ended' : 'the process before was ended at its time limit',
  );
};

export const performStep = async (step: StepName, input: StepInput): Promise<StepOutcome> => {
  const { node, department, spec, signal } = input;
  switch (step) {
    case 'fetch':
      return fetchBundle(input);
    case 'start':
      return settle(await ensureStarted(node, department, spec, signal));
    case 'probe':
      return settle(await ensureHealthy(node, department, spec, signal));
    case 'switch':
      return switchOver(input);
    case 'verify':
      return verify(input);
    case 'drain':
      return drainOld(input);
    default:
      return step satisfies never;
  }
};

const looked = (effective: boolean, detail: string): StepOutcome =>
  effective ? done(detail) : { outcome: 'retry', detail: `not so: ${detail}` };

/** Has the step taken effect? Changes nothing. */
export const probeStep = async (step: StepName, input: StepInput): Promise<StepOutcome> => {
  const { node, department, spec } = input;
  switch (step) {
    case 'fetch':
      return looked(await node.bundles.intact(spec.bundleDigest), 'the bundle is here and intact');
    case 'start':
    case 'probe':
      return looked(findSlot(department, spec)?.state() === 'ready', 'the process is ready');
    case 'switch':
      return looked(onAir(input), 'the revision is on the air');
    case 'verify':
      return looked(
        onAir(input) && (await differsAtFront(input)) === undefined,
        'the revision answers through the router',
      );
    case 'drain':
      return looked(onAir(input) && department.leaving.size === 0, 'only this revision runs');
    default:
      return step satisfies never;
  }
};
