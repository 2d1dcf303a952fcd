import { clip } from '../../../domain/kernel.ts';
import type { EdgeProvider, FencingToken, StepOutcome } from '../port.ts';
import type { Front } from './askFront.ts';
import { type Department, dropCandidate, queue } from './department.ts';
import type { EdgeNode } from './node.ts';
import { keyOf } from './slot.ts';
import { checkSpec } from './spec.ts';
import { isStepName, performStep, probeStep } from './steps.ts';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

const leaseLost = (scriptName: string): StepOutcome => ({
  outcome: 'refused',
  code: 'LeaseLost',
  detail: `A newer attempt has taken ${scriptName} over`,
});

/** The part of the provider that tickets use: steps under a fencing token, one at a time per script. */
export const createPerformer = (node: EdgeNode, front: Front): Pick<EdgeProvider, 'perform' | 'probe' | 'abandon'> => {
  const { fences, closing, context, folder, departmentOf } = node;
  const { log } = context;

  /** A newer attempt ends the older one's work where it stands. Throws LeaseLost when this one is the older. */
  const claim = (department: Department, token: FencingToken): AbortSignal => {
    const { scriptName, holder } = department;
    if (!fences.claim(scriptName, token)) throw new LeaseLost();
    if (holder !== undefined && !fences.holds(scriptName, holder.token)) holder.superseded.abort(new LeaseLost());
    const superseded = new AbortController();
    department.holder = { token, superseded };
    return superseded.signal;
  };

  const perform: EdgeProvider['perform'] = async (step, spec, token, signal) => {
    if (!isStepName(step)) return { outcome: 'refused', code: 'StepUnknown', detail: `There is no step ${step}` };
    const refusal = checkSpec(spec);
    if (refusal !== undefined) return { outcome: 'refused', ...refusal };
    const { scriptName } = spec;
    try {
      const department = departmentOf(scriptName);
      const within = AbortSignal.any([claim(department, token), signal, closing.signal]);
      const holdFence = (): void => {
        within.throwIfAborted();
        if (token.ranOut?.()) throw new Error('The lease ran out before it took effect');
        if (!fences.holds(scriptName, token)) throw new LeaseLost();
      };
      return await queue(department, () => {
        holdFence();
        return performStep(step, { node, department, spec, signal: within, holdFence, front });
      });
    } catch (error) {
      if (error instanceof LeaseLost) return leaseLost(scriptName);
      if (closing.signal.aborted) return { outcome: 'retry', detail: 'The node is closing' };
      if (signal.aborted) return { outcome: 'retry', detail: 'The step was cancelled before it took effect' };
      log.error({ scriptName, step, err: error }, 'edge: a step failed');
      return { outcome: 'retry', detail: clip(messageOf(error).replaceAll(folder.path, ''), 500) };
    }
  };

  const probe: EdgeProvider['probe'] = async (step, spec, _attempt, signal) => {
    if (!isStepName(step)) return { outcome: 'uncertain', detail: `There is no step ${step}` };
    if (checkSpec(spec) !== undefined) return { outcome: 'retry', detail: 'Such a worker cannot run here' };
    const department = departmentOf(spec.scriptName);
    try {
      return await probeStep(step, { node, department, spec, signal, holdFence: () => {}, front });
    } catch (error) {
      return { outcome: 'uncertain', detail: clip(messageOf(error), 500) };
    }
  };

  const abandon: EdgeProvider['abandon'] = async (spec, token) => {
    const { scriptName } = spec;
    if (checkSpec(spec) !== undefined) return;
    try {
      const department = departmentOf(scriptName);
      claim(department, token);
      await queue(department, async () => {
        if (department.candidate?.key === keyOf(spec)) await dropCandidate(department);
      });
    } catch (error) {
      if (!(error instanceof LeaseLost)) {
        log.error({ scriptName, err: error }, 'edge: what a cancelled deployment prepared is left behind');
      }
    }
  };
  return { perform, probe, abandon };
};
