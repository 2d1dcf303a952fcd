import type { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkerSpec } from '../port.ts';
import type { SecretReader } from '../secretReader.ts';
import { createPool } from './connection.ts';
import { askControl } from './control.ts';
import type { StartFailure } from './failure.ts';
import type { NodeFolder } from './folder.ts';
import type { Launcher } from './launch.ts';
import { residentBytes } from './leftovers.ts';
import { createRedactor, type Redact } from './redact.ts';
import type { NodeContext, WorkerState } from './settings.ts';
import { createWorkerLog } from './workerLog.ts';
import { startWorkerProcess, type WorkerProcess } from './workerProcess.ts';

/** Where the router sends requests while the process is up. */
export type Upstream = { readonly socketPath: string; readonly controlSocket: string; readonly agent: Agent };

/** One revision kept running: restarted when it dies, watched, and counted for its requests in flight. */
export type Slot = {
  readonly spec: WorkerSpec;
  readonly key: string;
  readonly state: () => WorkerState;
  readonly pid: () => number | undefined;
  readonly upstream: () => Upstream | undefined;
  readonly inFlight: () => number;
  /** Counts one request; the answer ends the count and may be called more than once. */
  readonly enter: () => () => void;
  /** True once nothing is in flight, false when the time is over. */
  readonly idle: (withinMs: number, signal: AbortSignal) => Promise<boolean>;
  /** Ends the process for good: gracefully within the time, then by force. */
  readonly stop: (graceMs: number) => Promise<void>;
};

export type SlotInput = {
  readonly context: NodeContext;
  readonly folder: NodeFolder;
  readonly launch: Launcher;
  readonly binary: string;
  /** Makes sure that the bundle is in the node's folder and intact. Throws when it cannot. */
  readonly ensureBundle: () => Promise<void>;
  /** Asked before every start of the process, so that nothing is kept from one to the next. */
  readonly secretValues: SecretReader;
  readonly spec: WorkerSpec;
};

export type SlotStart =
  | { readonly ok: true; readonly slot: Slot }
  | { readonly ok: false; readonly failure: StartFailure };

/** What tells two deployments of one script apart. */
export const keyOf = ({ scriptName, versionId, bundleDigest }: WorkerSpec): string =>
  `${scriptName}/${versionId}/${bundleDigest}`;

const connect = (process: WorkerProcess): Upstream => ({
  socketPath: process.publicSocket,
  controlSocket: process.controlSocket,
  agent: createPool(process.publicSocket),
});

/** Kills a process that hangs or has grown too large; `onKill` hears why. Ends with the process. */
const watch = (process: WorkerProcess, { limits }: NodeContext, onKill: (reason: string) => void): (() => void) => {
  let asking = false;
  let over = false;
  let unreachable = 0;
  const kill = (reason: string): void => {
    onKill(reason);
    process.kill();
  };
  const check = async (): Promise<void> => {
    const resident = residentBytes(process.pid) ?? 0;
    if (resident > limits.residentBytes) return kill(`resident memory ${resident} bytes above ${limits.residentBytes}`);
    if (asking) return;
    asking = true;
    const answered = await askControl(process.controlSocket, limits.probeDeadlineMs);
    asking = false;
    // A process that is just dying refuses connections; its end will tell the cause better than we could.
    unreachable = answered === 'gone' ? unreachable + 1 : 0;
    if (over) return;
    if (answered === 'silent') kill(`no answer within ${limits.probeDeadlineMs} ms`);
    if (unreachable === 3) kill('its control socket cannot be reached');
  };
  const timer = setInterval(() => void check(), limits.probeIntervalMs);
  return () => {
    over = true;
    clearInterval(timer);
  };
};

/** A failure is told without what must not be told. */
const asItIs: Redact = (text) => text;

/** Starts a revision. When its first start fails nothing is left behind; once up, it is kept up until it is stopped. */
export const startSlot = async (input: SlotInput, signal: AbortSignal): Promise<SlotStart> => {
  const { context, spec, folder } = input;
  const { limits, clock } = context;
  const onLine = createWorkerLog(context, spec);
  const stopping = new AbortController();
  let state: WorkerState = 'starting';
  let current: { readonly process: WorkerProcess; readonly upstream: Upstream } | undefined;
  let inFlight = 0;
  let idleWaiters: (() => void)[] = [];

  const move = (to: WorkerState, reason: string): void => {
    const from = state;
    state = to;
    const { scriptName, versionId, revision } = spec;
    if (from !== to) context.onTransition({ scriptName, versionId, revision, from, to, reason, at: clock.now() });
  };

  const launchOnce = async (within: AbortSignal): Promise<StartFailure | undefined> => {
    await input.ensureBundle();
    const opened = await input.secretValues(spec);
    if (!opened.ok) return { code: opened.code, detail: opened.detail };
    const secrets = opened.values;
    const redact = createRedactor({ variables: spec.variables, secrets, folders: [`${folder.path}/`] });
    const started = await startWorkerProcess({ ...input, limits, secrets, onLine, redact }, within);
    if (!started.ok) return started.failure;
    if (within.aborted) {
      started.process.kill();
      await started.process.ended;
      throw within.reason;
    }
    current = { process: started.process, upstream: connect(started.process) };
    move('ready', `process ${started.process.pid} listens`);
    return undefined;
  };

  /** One life of the process: from ready to gone. */
  const live = async (): Promise<string> => {
    if (current === undefined) return 'not started';
    const { process, upstream } = current;
    let killedFor: string | undefined;
    const unwatch = watch(process, context, (reason) => {
      killedFor ??= reason;
    });
    const ended = await process.ended;
    unwatch();
    current = undefined;
    upstream.agent.destroy();
    return killedFor ?? ended;
  };

  const keepUp = async (): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const since = clock.now();
      const cause = await live();
      if (stopping.signal.aborted) return;
      if (clock.now() - since > limits.restartBackoff.stableAfterMs) failures = 0;
      const pause = Math.min(limits.restartBackoff.ceilingMs, limits.restartBackoff.firstMs * 2 ** failures);
      failures += 1;
      move('restarting', cause);
      context.log.warn({ scriptName: spec.scriptName, revision: spec.revision, cause, pause }, 'worker process ended');
      try {
        await delay(pause, undefined, { signal: stopping.signal });
        const failure = await launchOnce(stopping.signal);
        if (failure !== undefined) onLine({ origin: 'runtime', level: 'error', message: failure.detail }, asItIs);
      } catch (error) {
        if (stopping.signal.aborted) return;
        context.log.error({ scriptName: spec.scriptName, err: error }, 'worker cannot be restarted now');
      }
    }
  };

  const failure = await launchOnce(signal);
  if (failure !== undefined) return { ok: false, failure };
  const kept = keepUp();

  const leave = (): void => {
    inFlight -= 1;
    if (inFlight > 0) return;
    for (const wake of idleWaiters) wake();
    idleWaiters = [];
  };

  const slot: Slot = {
    spec,
    key: keyOf(spec),
    state: () => state,
    pid: () => current?.process.pid,
    upstream: () => current?.upstream,
    inFlight: () => inFlight,
    enter: () => {
      inFlight += 1;
      let left = false;
      return () => {
        if (!left) leave();
        left = true;
      };
    },
    idle: async (withinMs, within) => {
      if (inFlight === 0) return true;
      const idle = new Promise<void>((resolve) => idleWaiters.push(resolve));
      const timer = new AbortController();
      const over = delay(withinMs, undefined, { signal: AbortSignal.any([within, timer.signal]) }).catch(() => {});
      await Promise.race([idle, over]);
      timer.abort();
      return inFlight === 0;
    },
    stop: async (graceMs) => {
      if (!stopping.signal.aborted) {
        stopping.abort();
        move('stopping', 'stop asked for');
      }
      const running = current;
      if (running !== undefined) {
        running.process.terminate();
        const force = setTimeout(running.process.kill, graceMs);
        await running.process.ended;
        clearTimeout(force);
      }
      await kept;
      move('stopped', 'process gone');
    },
  };
  return { ok: true, slot };
};
