import type { Attempt, DesiredWorker, NodeProvider, StepOutcome, WorkerSpec } from '../../src/platform/edge/port.ts';
import type { OutsideWatch } from './cloud.ts';
import type { Faults } from './faults.ts';
import type { Process } from './process.ts';
import type { Draws } from './random.ts';

export const machineSteps = ['fetch', 'start', 'switch', 'verify'] as const;
export const machineScope = 'onprem:000000000001';

type Fence = { readonly ticketId: string; readonly attempt: number; readonly superseded: readonly string[] };
type Running = { readonly revision: number; readonly ticketId: string };

/** A machine with workers on it: its disk outlives a process, what runs on it does not. */
export type Machine = {
  readonly node: string;
  readonly fences: Map<string, Fence>;
  /** What is on the air, by script. */
  readonly active: Map<string, Running>;
  readonly paused: Map<string, boolean>;
};

export const createMachine = (node: string): Machine => ({
  node,
  fences: new Map(),
  active: new Map(),
  paused: new Map(),
});

/** Whoever supervises the machine's processes dies with them. */
export const lostProcesses = ({ active, paused }: Machine): void => {
  active.clear();
  paused.clear();
};

const claim = ({ fences }: Machine, script: string, { ticketId, attempt }: Attempt): boolean => {
  const fence = fences.get(script);
  if (fence?.superseded.includes(ticketId)) return false;
  if (fence && fence.ticketId !== ticketId) {
    fences.set(script, { ticketId, attempt, superseded: [...fence.superseded, fence.ticketId] });
    return true;
  }
  if (fence && attempt < fence.attempt) return false;
  fences.set(script, { ticketId, attempt, superseded: fence?.superseded ?? [] });
  return true;
};

const done = (detail: string): StepOutcome => ({ outcome: 'done', detail });

export const createMachineAdapter = (
  process: Process,
  machine: Machine,
  draws: Draws,
  faults: Faults,
  watch: OutsideWatch,
): NodeProvider => {
  const { active, paused, fences, node } = machine;
  const isOn = ({ scriptName, revision }: WorkerSpec): boolean => active.get(scriptName)?.revision === revision;
  const holds = (script: string, { ticketId, attempt }: Attempt): boolean => {
    const fence = fences.get(script);
    return fence?.ticketId === ticketId && fence.attempt === attempt;
  };
  const putOn = (spec: WorkerSpec, attempt: Attempt): void => {
    const { ticketId, attempt: number } = attempt;
    watch.callBegan(process, { name: 'switch', changes: true, ticketId, attempt: number, take: () => undefined });
    active.set(spec.scriptName, { revision: spec.revision, ticketId });
    watch.note(`${node}: ${spec.scriptName} runs revision ${spec.revision} by ${ticketId}`);
  };
  const set = ({ spec, paused: off }: DesiredWorker): void => {
    active.set(spec.scriptName, { revision: spec.revision, ticketId: '' });
    paused.set(spec.scriptName, off);
    watch.note(`${node}: ${spec.scriptName} is put back to revision ${spec.revision}${off ? ', paused' : ''}`);
  };
  const perform: NodeProvider['perform'] = async (step, spec, attempt, signal) => {
    if (!claim(machine, spec.scriptName, attempt)) return { outcome: 'refused', code: 'LeaseLost', detail: 'fenced' };
    const fault = faults.machine();
    await process.clock.sleep(fault === 'slow' ? draws.between(1_000, 40_000) : draws.between(5, 400), signal);
    if (signal.aborted || attempt.ranOut?.()) return { outcome: 'retry', detail: 'stopped before it took effect' };
    if (!holds(spec.scriptName, attempt)) return { outcome: 'refused', code: 'LeaseLost', detail: 'fenced' };
    if (fault === 'refused' && step !== 'verify') return { outcome: 'refused', code: 'startup_failed', detail: 'no' };
    if (fault === 'retry') return { outcome: 'retry', detail: 'no room' };
    if (step === 'switch' || step === 'verify') {
      if (isOn(spec)) watch.shown(attempt.ticketId);
      else putOn(spec, attempt);
    }
    if (fault === 'throws') {
      watch.uncleared({ name: step, changes: true, ...attempt, take: () => undefined });
      throw new Error('the socket hung up');
    }
    return done(step);
  };
  return {
    kind: 'workerd',
    scope: machineScope,
    steps: machineSteps,
    url: (scriptName) => `http://${scriptName}.localhost`,
    perform,
    probe: async (step, spec, _attempt, signal) => {
      await process.clock.sleep(draws.between(5, 100), signal);
      const effective = step === 'switch' || step === 'verify' ? isOn(spec) : false;
      return effective ? done('it is so') : { outcome: 'retry', detail: 'it is not so' };
    },
    isPublic: (step, performed) => step === 'switch' || step === 'verify' || performed.includes('switch'),
    abandon: async (spec, token) => void claim(machine, spec.scriptName, token),
    setPaused: async (scriptName, off) => {
      paused.set(scriptName, off);
      watch.note(`${node}: ${scriptName} is ${off ? 'paused' : 'resumed'}`);
      await process.pause(draws.between(1, 50));
    },
    converge: async (desired) => {
      for (const each of desired) set(each);
      await process.pause(draws.between(10, 500));
      return { started: desired.map(({ spec }) => spec.scriptName), stopped: [], kept: [], failed: [] };
    },
    restore: async (desired) => {
      // The real one takes its turn in a queue of the script at once, and needs time only for what it then does.
      set(desired);
      await process.pause(draws.between(10, 300));
    },
    runScheduled: async () => done('not simulated'),
    drop: async (scriptName) => void active.delete(scriptName),
    running: () => [],
    present: async () => done('the node obeys by itself'),
    attachDomain: async () => done('not simulated'),
    verifyDomain: async () => done('not simulated'),
    detachDomain: async () => done('not simulated'),
    remove: async (scriptName) => {
      active.delete(scriptName);
      return done('removed');
    },
    inventory: async () => ({
      ok: true,
      workers: [...active].map(([scriptName, { revision, ticketId }]) => ({
        ...{ scriptName, revision, ticketId, bundleDigest: '', by: '' },
        state: paused.get(scriptName) ? 'paused' : 'live',
      })),
    }),
    close: async () => {},
  };
};
