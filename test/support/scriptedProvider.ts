import type { FencingToken, NodeProvider, StepOutcome, WorkerSpec } from '../../src/platform/edge/port.ts';

/** An edge that does what it is told and remembers what it was asked: what happens outside is under the test's control. */
export type ScriptedProvider = NodeProvider & {
  readonly asked: string[];
  readonly pausedNow: Map<string, boolean>;
  /** The next answers to this step, in order; afterwards it is done. */
  answer(step: string, ...outcomes: readonly (StepOutcome | (() => Promise<StepOutcome>))[]): void;
  /** What a look at this step finds, in order; afterwards that it has not happened. */
  find(step: string, ...outcomes: readonly StepOutcome[]): void;
};

const done: StepOutcome = { outcome: 'done', detail: 'done' };

export const createScriptedProvider = (steps: readonly string[]): ScriptedProvider => {
  const answers = new Map<string, (StepOutcome | (() => Promise<StepOutcome>))[]>();
  const findings = new Map<string, StepOutcome[]>();
  const asked: string[] = [];
  const pausedNow = new Map<string, boolean>();
  /** Anything outside that is no step: its name is what `answer` scripts it by. */
  const act = async (name: string, about: string): Promise<StepOutcome> => {
    asked.push(`${name} ${about}`);
    const next = answers.get(name)?.shift();
    return typeof next === 'function' ? next() : (next ?? done);
  };
  return {
    kind: 'workerd',
    scope: 'onprem:000000000001',
    steps,
    asked,
    pausedNow,
    answer: (step, ...outcomes) => void answers.set(step, [...(answers.get(step) ?? []), ...outcomes]),
    find: (step, ...outcomes) => void findings.set(step, [...(findings.get(step) ?? []), ...outcomes]),
    url: (scriptName) => `http://${scriptName}.localhost`,
    perform: async (step: string, _spec: WorkerSpec, token: FencingToken) => {
      asked.push(`${step}#${token.attempt}`);
      const next = answers.get(step)?.shift();
      return typeof next === 'function' ? next() : (next ?? done);
    },
    probe: async (step) => {
      asked.push(`look at ${step}`);
      return findings.get(step)?.shift() ?? { outcome: 'retry', detail: 'it has not happened' };
    },
    isPublic: (step, performed) => step === 'switch' || performed.includes('switch'),
    abandon: async () => void asked.push('abandon'),
    setPaused: async (scriptName, paused) => void pausedNow.set(scriptName, paused),
    converge: async (desired) => {
      for (const { spec, paused } of desired) {
        asked.push(`converge ${spec.scriptName} revision ${spec.revision}`);
        pausedNow.set(spec.scriptName, paused);
      }
      return { started: desired.map(({ spec }) => spec.scriptName), stopped: [], kept: [], failed: [] };
    },
    restore: async ({ spec, paused }) => {
      asked.push(`restore ${spec.scriptName} revision ${spec.revision}`);
      pausedNow.set(spec.scriptName, paused);
    },
    running: () => [],
    drop: async (scriptName) => void asked.push(`drop ${scriptName}`),
    present: ({ scriptName }, paused) => act('present', `${scriptName} ${paused ? 'off' : 'on'}`),
    attachDomain: ({ hostname }) => act('attachDomain', hostname),
    verifyDomain: ({ hostname }) => act('verifyDomain', hostname),
    detachDomain: ({ hostname }) => act('detachDomain', hostname),
    runScheduled: (scriptName, { cron }) => act('runScheduled', `${scriptName} ${cron}`),
    remove: (scriptName) => act('remove', scriptName),
    inventory: async () => ({ ok: true, workers: [] }),
    close: async () => {},
  };
};
