import { randomBytes } from 'node:crypto';
import type { ArtifactStore } from '../../artifacts/port.ts';
import type { Clock } from '../../clock/port.ts';
import type { Log } from '../../log/port.ts';
import type { EdgeProvider, FencingToken, StepOutcome, WorkerSpec } from '../port.ts';
import { findWorkerdBinary } from './binary.ts';
import { openBundles } from './bundles.ts';
import { convergeNode, stopDepartment } from './converge.ts';
import { type Department, drain, dropCandidate, type Node, newDepartment, queue, slotsOf } from './department.ts';
import { openFences } from './fence.ts';
import { openNodeFolder } from './folder.ts';
import { createLauncher, type Launcher } from './launch.ts';
import { startRouter } from './router.ts';
import {
  defaultLimits,
  type NodeContext,
  type Transition,
  type WorkerdLimits,
  type WorkerLogLine,
} from './settings.ts';
import { keyOf, startSlot } from './slot.ts';
import { checkSpec } from './spec.ts';
import { isStepName, performStep, probeStep, type StepInput, stepNames } from './steps.ts';

export { defaultLimits, type Transition, type WorkerdLimits, type WorkerLogLine };

export type WorkerdProviderOptions = {
  /** A folder of this provider alone; no two living processes may open the same. */
  readonly dataDir: string;
  readonly artifacts: ArtifactStore;
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port?: number;
  readonly baseDomain?: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly limits?: Partial<WorkerdLimits>;
  /** Take X-Forwarded-* from the caller: only behind a proxy that sets them. */
  readonly trustForwarded?: boolean;
  readonly onTransition?: (transition: Transition) => void;
  readonly onLog?: (line: WorkerLogLine) => void;
  /** How children are started; by default so that they die with this process. */
  readonly launcher?: Launcher;
};

const leaseLost = (scriptName: string): StepOutcome => ({
  outcome: 'refused',
  code: 'LeaseLost',
  detail: `A newer attempt has taken ${scriptName} over`,
});

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Runs edge workers on this machine: one runtime process per department, and one front router. Throws when the folder is
 * in use, the port is taken or the runtime is not installed.
 */
export const createWorkerdProvider = async (options: WorkerdProviderOptions): Promise<EdgeProvider> => {
  const { baseDomain = 'localhost', host = '127.0.0.1', log, clock } = options;
  const context: NodeContext = {
    limits: { ...defaultLimits, ...options.limits },
    clock,
    log,
    onTransition: options.onTransition ?? (() => {}),
    onLog: options.onLog ?? (() => {}),
  };
  const binary = findWorkerdBinary();
  const launch = options.launcher ?? (await createLauncher());
  const folder = await openNodeFolder(options.dataDir);
  if (folder.killedLeftovers > 0)
    log.warn({ count: folder.killedLeftovers }, 'killed worker processes of an earlier run');
  const bundles = openBundles(folder.bundles, options.artifacts);
  const fences = openFences(folder.fences);
  const departments = new Map<string, Department>();
  let paused: ReadonlySet<string> = new Set();
  const closing = new AbortController();
  const running = new Map<string, { readonly token: FencingToken; readonly superseded: AbortController }>();

  const ensureBundle = async (digest: string): Promise<void> => {
    const fetched = await bundles.ensure(digest);
    if (!fetched.ok) throw new Error(fetched.detail);
  };
  const node: Node = {
    context,
    bundles,
    start: (spec, signal) =>
      startSlot(
        { context, folder, launch, binary, spec, ensureBundle: () => ensureBundle(spec.bundleDigest) },
        AbortSignal.any([signal, closing.signal]),
      ),
  };
  const departmentOf = (scriptName: string): Department => {
    const existing = departments.get(scriptName);
    if (existing !== undefined) return existing;
    const department = newDepartment(scriptName);
    departments.set(scriptName, department);
    return department;
  };
  const sweepBundles = (): Promise<void> =>
    bundles.sweep(() => new Set([...departments.values()].flatMap(slotsOf).map(({ spec }) => spec.bundleDigest)));

  const verifyToken = randomBytes(24).toString('base64url');
  const router = await startRouter({
    host,
    port: options.port ?? 0,
    baseDomain,
    limits: context.limits,
    verifyToken,
    trustForwarded: options.trustForwarded ?? false,
    route: (scriptName) => {
      const slot = departments.get(scriptName)?.active;
      if (slot !== undefined) return { slot, paused: paused.has(scriptName) };
      return paused.has(scriptName) ? 'paused' : undefined;
    },
  }).catch((error: unknown) => {
    folder.close();
    throw error;
  });
  const hostOf = (scriptName: string): string => `${scriptName}.${baseDomain}:${router.port}`;
  const front = {
    address: host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host,
    port: router.port,
    verifyToken,
    hostOf,
  };

  const inputFor = (spec: WorkerSpec, signal: AbortSignal, holdFence: () => void): StepInput => ({
    node,
    department: departmentOf(spec.scriptName),
    spec,
    signal,
    holdFence,
    front,
    sweepBundles,
  });

  /** A newer attempt ends the older one's work where it stands. */
  const claim = (scriptName: string, token: FencingToken): AbortController | undefined => {
    if (!fences.claim(scriptName, token)) return undefined;
    const before = running.get(scriptName);
    if (before !== undefined && !fences.holds(scriptName, before.token)) before.superseded.abort();
    const superseded = new AbortController();
    running.set(scriptName, { token, superseded });
    return superseded;
  };

  const perform: EdgeProvider['perform'] = async (step, spec, token, signal) => {
    if (!isStepName(step)) return { outcome: 'refused', code: 'StepUnknown', detail: `There is no step ${step}` };
    const refusal = checkSpec(spec);
    if (refusal !== undefined) return { outcome: 'refused', ...refusal };
    const { scriptName } = spec;
    try {
      const superseded = claim(scriptName, token);
      if (superseded === undefined) return leaseLost(scriptName);
      const within = AbortSignal.any([signal, superseded.signal, closing.signal]);
      const holdFence = (): void => {
        within.throwIfAborted();
        if (!fences.holds(scriptName, token)) throw new Error('The lease was lost');
      };
      return await queue(departmentOf(scriptName), () => {
        holdFence();
        return performStep(step, inputFor(spec, within, holdFence));
      });
    } catch (error) {
      if (!fences.holds(scriptName, token)) return leaseLost(scriptName);
      if (closing.signal.aborted) return { outcome: 'retry', detail: 'The node is closing' };
      if (signal.aborted) return { outcome: 'retry', detail: 'The step was cancelled before it took effect' };
      log.error({ scriptName, step, err: error }, 'edge step failed');
      return { outcome: 'retry', detail: messageOf(error).replaceAll(folder.path, '').slice(0, 500) };
    }
  };

  const probe: EdgeProvider['probe'] = async (step, spec, signal) => {
    if (!isStepName(step) || checkSpec(spec) !== undefined)
      return { outcome: 'uncertain', detail: 'There is no such step' };
    try {
      return await probeStep(
        step,
        inputFor(spec, signal, () => {}),
      );
    } catch (error) {
      return { outcome: 'uncertain', detail: messageOf(error).slice(0, 500) };
    }
  };

  const abandon: EdgeProvider['abandon'] = async (spec, token) => {
    try {
      if (checkSpec(spec) !== undefined || !fences.claim(spec.scriptName, token)) return;
      const department = departmentOf(spec.scriptName);
      await queue(department, async () => {
        if (department.candidate?.key === keyOf(spec)) await dropCandidate(department);
      });
    } catch (error) {
      log.error(
        { scriptName: spec.scriptName, err: error },
        'edge: what a cancelled deployment prepared is left behind',
      );
    }
  };

  const drainLater = (department: Department): void => {
    queue(department, () => drain(department, context, closing.signal))
      .then(sweepBundles)
      .catch((error: unknown) => {
        if (!closing.signal.aborted) log.error({ scriptName: department.scriptName, err: error }, 'drain failed');
      });
  };

  const closeAll = async (): Promise<void> => {
    closing.abort();
    await router.close(1_500);
    await Promise.all(
      [...departments.values()].map((department) => queue(department, () => stopDepartment(department, 1_500))),
    );
    folder.close();
  };
  let closed: Promise<void> | undefined;

  return {
    kind: 'workerd',
    steps: stepNames,
    url: (scriptName) => `http://${hostOf(scriptName)}`,
    perform,
    probe,
    isPublic: (step) => isStepName(step) && stepNames.indexOf(step) >= stepNames.indexOf('switch'),
    abandon,
    setPaused: async (scriptName, isPaused) => {
      const next = new Set(paused);
      if (isPaused) next.add(scriptName);
      else next.delete(scriptName);
      paused = next;
    },
    converge: async (desired) => {
      paused = new Set(desired.filter((one) => one.paused).map(({ spec }) => spec.scriptName));
      const report = await convergeNode(
        { node, departments, departmentOf, signal: closing.signal, drainLater },
        desired,
      );
      await sweepBundles();
      return report;
    },
    running: () =>
      [...departments.values()].flatMap(({ scriptName, active }) => {
        if (active === undefined) return [];
        const { revision, bundleDigest } = active.spec;
        return [{ scriptName, revision, bundleDigest, state: paused.has(scriptName) ? 'paused' : active.state() }];
      }),
    close: () => {
      closed ??= closeAll();
      return closed;
    },
  };
};
