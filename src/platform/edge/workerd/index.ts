import { randomBytes } from 'node:crypto';
import type { ArtifactStore } from '../../artifacts/port.ts';
import type { Clock } from '../../clock/port.ts';
import type { Log } from '../../log/port.ts';
import type { NodeProvider } from '../port.ts';
import type { SecretReader } from '../secretReader.ts';
import { convergeNode, convergeOne, stopDepartment } from './converge.ts';
import { queue } from './department.ts';
import { createDomainWork, createHostnames, type Hostnames } from './hostnames.ts';
import { type Dns, systemDns } from './hostnamesDns.ts';
import type { Launcher } from './launch.ts';
import { type EdgeNode, openNode } from './node.ts';
import { createPerformer } from './performer.ts';
import { type Router, startRouter } from './router.ts';
import { runScheduled } from './scheduled.ts';
import {
  defaultLimits,
  type NodeContext,
  type Transition,
  type WorkerdLimits,
  type WorkerLogLine,
  withDefaults,
} from './settings.ts';
import { isStepName, stepNames } from './steps.ts';

export { defaultLimits, type Transition, type WorkerdLimits, type WorkerLogLine };

export type WorkerdProviderOptions = {
  /** `onprem:<12 hex>`: the deployment scope of this node. */
  readonly scope?: string;
  /** A folder of this provider alone; no two living processes may open the same. */
  readonly dataDir: string;
  readonly artifacts: ArtifactStore;
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port?: number;
  readonly baseDomain?: string;
  /** Serves HTTPS there, with the certificates that `hostnames.certify` is given; 0 takes any free port. */
  readonly tlsPort?: number | undefined;
  readonly dns?: Dns;
  readonly log: Log;
  readonly clock: Clock;
  readonly limits?: Partial<WorkerdLimits>;
  /** Take X-Forwarded-* from the caller: only behind a proxy that sets them. */
  readonly trustForwarded?: boolean;
  readonly onTransition?: (transition: Transition) => void;
  readonly onLog?: (line: WorkerLogLine) => void;
  /** How children are started; by default so that they die with this process. */
  readonly launcher?: Launcher;
  /** Without it only workers that read no secrets can run. */
  readonly secretValues?: SecretReader;
};

export type WorkerdProvider = NodeProvider & {
  /** Names that the front answers at beside those of the scripts, and their certificates. */
  readonly hostnames: Hostnames;
  /** Undefined: no HTTPS here. */
  readonly tlsPort: number | undefined;
};

/** A hook is somebody else's code: what it throws is logged and stops nothing here. */
const guarded = <T>(log: Log, hook: ((value: T) => void) | undefined): ((value: T) => void) => {
  if (hook === undefined) return () => {};
  return (value) => {
    try {
      hook(value);
    } catch (error) {
      log.error({ err: error }, 'edge: a hook failed');
    }
  };
};

const contextOf = ({ log, clock, limits, onTransition, onLog }: WorkerdProviderOptions): NodeContext => ({
  limits: withDefaults(limits),
  clock,
  log,
  onTransition: guarded(log, onTransition),
  onLog: guarded(log, onLog),
});

/** Requests are given a moment to finish, then everything ends: five seconds in all at the most. */
const closeNode = async (node: EdgeNode, router: Router): Promise<void> => {
  node.closing.abort();
  await router.close(1_500);
  const departments = [...node.departments.values()];
  await Promise.all(departments.map((department) => queue(department, () => stopDepartment(department, 1_500))));
  node.folder.close();
};

const noSecrets: SecretReader = async ({ secrets }) =>
  secrets.length === 0
    ? { ok: true, values: {} }
    : { ok: false, code: 'secret_unreadable', detail: 'This node was started without access to secrets.' };

const anyAddress = new Set(['0.0.0.0', '::']);

/**
 * Runs edge workers on this machine: one runtime process per department, and one front router. The runtime is no sandbox
 * for hostile code: processes bound what a department's mistakes can hurt, nothing more. Throws when the folder is in
 * use, the port is taken or the runtime is not installed.
 */
export const createWorkerdProvider = async (options: WorkerdProviderOptions): Promise<WorkerdProvider> => {
  const { baseDomain = 'localhost', host = '127.0.0.1', port = 0, trustForwarded = false, log } = options;
  const { dataDir, artifacts, launcher, secretValues = noSecrets, dns = systemDns } = options;
  const context = contextOf(options);
  const node = await openNode({ dataDir, artifacts, context, launcher, secretValues });
  const verifyToken = randomBytes(24).toString('base64url');
  const hostnames = createHostnames();
  let paused: ReadonlySet<string> = new Set();

  const router = await startRouter({
    ...{ host, port, baseDomain, verifyToken, trustForwarded, limits: context.limits },
    ...{ hostnames, tlsPort: options.tlsPort },
    route: (scriptName) => {
      const slot = node.departments.get(scriptName)?.active;
      if (slot !== undefined) return { slot, paused: paused.has(scriptName) };
      return paused.has(scriptName) ? 'paused' : undefined;
    },
    onError: (error) => log.error({ err: error }, 'edge: the router reports an error'),
  }).catch((error: unknown) => {
    node.folder.close();
    throw error;
  });
  const hostOf = (scriptName: string): string => `${scriptName}.${baseDomain}:${router.port}`;
  const address = anyAddress.has(host) ? '127.0.0.1' : host;
  const front = { address, port: router.port, verifyToken, hostOf };
  let closed: Promise<void> | undefined;
  const setPaused = (scriptName: string, isPaused: boolean): void => {
    const others = [...paused].filter((name) => name !== scriptName);
    paused = new Set(isPaused ? [...others, scriptName] : others);
    if (isPaused) router.cutUpgraded(scriptName);
  };

  const drop = async (scriptName: string): Promise<void> => {
    const department = node.departments.get(scriptName);
    if (department !== undefined) await queue(department, () => stopDepartment(department, 1_000));
    router.cutUpgraded(scriptName);
    paused = new Set([...paused].filter((name) => name !== scriptName));
  };
  const running: NodeProvider['running'] = () =>
    [...node.departments.values()].flatMap(({ scriptName, active }) => {
      if (active === undefined) return [];
      const { revision, bundleDigest } = active.spec;
      return [{ scriptName, revision, bundleDigest, state: paused.has(scriptName) ? 'paused' : active.state() }];
    });

  return {
    kind: 'workerd',
    scope: options.scope ?? 'onprem:000000000000',
    steps: stepNames,
    url: (scriptName) => `http://${hostOf(scriptName)}`,
    ...createPerformer(node, front),
    isPublic: (step) => isStepName(step) && stepNames.indexOf(step) >= stepNames.indexOf('switch'),
    setPaused: async (scriptName, isPaused) => setPaused(scriptName, isPaused),
    restore: async (desired) => {
      setPaused(desired.spec.scriptName, desired.paused);
      const result = await convergeOne(node, desired);
      if (result.kind === 'failed') log.error(result, 'edge: a worker that another node deployed does not start here');
    },
    converge: async (desired) => {
      paused = new Set(desired.filter((one) => one.paused).map(({ spec }) => spec.scriptName));
      return convergeNode(node, desired);
    },
    running,
    drop,
    runScheduled: (scriptName, firing, signal) => runScheduled(node, scriptName, firing, signal),
    present: async ({ scriptName }, isPaused) => {
      setPaused(scriptName, isPaused);
      return { outcome: 'done', detail: isPaused ? 'off the air' : 'on the air' };
    },
    ...createDomainWork(hostnames, { front, dns, deadlineMs: context.limits.probeDeadlineMs * 2 }),
    ...{ hostnames, tlsPort: router.tlsPort },
    remove: async (scriptName) => {
      await drop(scriptName);
      return { outcome: 'done', detail: 'nothing of it runs here' };
    },
    inventory: async () => ({
      ok: true,
      workers: running().map((worker) => ({ ...worker, ticketId: '', by: '' })),
    }),
    close: () => {
      closed ??= closeNode(node, router);
      return closed;
    },
  };
};
