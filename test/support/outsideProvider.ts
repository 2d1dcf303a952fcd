import type { EdgeProvider, FoundWorker, Inventory, ProviderKind, StepOutcome } from '../../src/platform/edge/port.ts';

/** What a small outside world has: scripts that can be deployed, taken off the air, tampered with and removed. */
export type OutsideProvider = EdgeProvider & {
  readonly scripts: Map<string, FoundWorker>;
  readonly asked: string[];
  /** The next calls of this name answer so, and do nothing. */
  fail(name: string, ...outcomes: readonly StepOutcome[]): void;
  /** Runs just before the next call of this name has its effect. */
  before(name: string, work: () => Promise<void>): void;
  /** The next lists are not whole. */
  breakList(detail: string): void;
};

const done: StepOutcome = { outcome: 'done', detail: 'done' };
const steps = ['upload', 'start', 'switch'] as const;

export const createOutsideProvider = (
  kind: ProviderKind = 'cloudflare',
  scope = 'cloud:000000000001',
): OutsideProvider => {
  const scripts = new Map<string, FoundWorker>();
  const asked: string[] = [];
  const failures = new Map<string, StepOutcome[]>();
  const interludes = new Map<string, () => Promise<void>>();
  let broken = '';
  const call = async (name: string, about: string, effect: () => void): Promise<StepOutcome> => {
    asked.push(`${name} ${about}`);
    const interlude = interludes.get(name);
    interludes.delete(name);
    await interlude?.();
    const failure = failures.get(name)?.shift();
    if (failure) return failure;
    effect();
    return done;
  };
  const nothing = async (): Promise<StepOutcome> => done;
  return {
    ...{ kind, scope, steps, scripts, asked },
    fail: (name, ...outcomes) => void failures.set(name, [...(failures.get(name) ?? []), ...outcomes]),
    before: (name, work) => void interludes.set(name, work),
    breakList: (detail) => {
      broken = detail;
    },
    url: (scriptName) => `https://${scriptName}.example`,
    perform: (step, { scriptName, revision, bundleDigest }, { ticketId }) =>
      call(step, scriptName, () => {
        if (step !== 'switch') return;
        scripts.set(scriptName, { scriptName, revision, bundleDigest, ticketId, state: 'running', by: '' });
      }),
    probe: async () => ({ outcome: 'retry', detail: 'it has not happened' }),
    isPublic: (step) => step === 'switch',
    abandon: async () => {},
    present: ({ scriptName }, paused) =>
      call('present', `${scriptName} ${paused ? 'off' : 'on'}`, () => {
        const script = scripts.get(scriptName);
        if (script) scripts.set(scriptName, { ...script, state: paused ? 'paused' : 'running' });
      }),
    attachDomain: nothing,
    verifyDomain: nothing,
    detachDomain: nothing,
    remove: (scriptName) => call('remove', scriptName, () => void scripts.delete(scriptName)),
    inventory: async (): Promise<Inventory> => {
      asked.push('inventory');
      const detail = broken;
      broken = '';
      return detail === '' ? { ok: true, workers: [...scripts.values()] } : { ok: false, detail };
    },
    close: async () => {},
  };
};
