import { rmSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { WorkerSpec } from '../port.ts';
import { renderConfig, secretVariable } from './config.ts';
import { describeFailure, type StartFailure } from './failure.ts';
import type { NodeFolder } from './folder.ts';
import type { Launched, Launcher } from './launch.ts';
import { type Line, parseLine, readLines } from './output.ts';
import type { Redact } from './redact.ts';
import type { WorkerdLimits } from './settings.ts';

/** One runtime process that has reported that it listens. */
export type WorkerProcess = {
  readonly pid: number;
  readonly publicSocket: string;
  readonly controlSocket: string;
  /** Resolves with the cause once the process is gone and its files are removed. */
  readonly ended: Promise<string>;
  /** Stops accepting, finishes what is in flight, ends. */
  readonly terminate: () => void;
  readonly kill: () => void;
};

export type ProcessStart =
  | { readonly ok: true; readonly process: WorkerProcess }
  | { readonly ok: false; readonly failure: StartFailure };

export type ProcessInput = {
  readonly folder: NodeFolder;
  readonly launch: Launcher;
  readonly binary: string;
  readonly limits: WorkerdLimits;
  readonly spec: WorkerSpec;
  readonly secrets: Readonly<Record<string, string>>;
  readonly onLine: (line: Line, redact: Redact) => void;
  readonly redact: Redact;
};

const announcement = /^{"event":"listen","socket":"(\w+)"/;
const complaintBytes = 8 * 1024;

const isReadable = (stream: unknown): stream is Readable =>
  typeof stream === 'object' && stream !== null && 'read' in stream && 'on' in stream;

/** Collects what the runtime says about itself until it listens: the reason when it never does. */
const collectComplaints = (launched: Launched, { limits, onLine, redact }: ProcessInput): readonly string[] => {
  const complaints: string[] = [];
  let held = 0;
  const take = (stream: Readable | null, errors: boolean): void => {
    if (stream === null) return;
    readLines(stream, limits.log.lineBytes, (text) => {
      const line = parseLine(text);
      const isCut = Buffer.byteLength(text) >= limits.log.lineBytes;
      const redactLine = (message: string): string => redact(message, isCut);
      if ((errors || line.origin === 'runtime') && held < complaintBytes) {
        const complaint = redactLine(line.message);
        complaints.push(complaint);
        held += complaint.length;
      }
      onLine(errors ? { ...line, origin: 'runtime' } : line, redactLine);
    });
  };
  take(launched.child.stdout, false);
  take(launched.child.stderr, true);
  return complaints;
};

/** Resolves once both sockets are announced on descriptor 3. */
const listening = (launched: Launched): Promise<'listening'> =>
  new Promise((resolve) => {
    const control = launched.child.stdio[3];
    if (!isReadable(control)) return;
    const announced = new Set<string>();
    readLines(control, 4_096, (text) => {
      const socket = announcement.exec(text)?.[1];
      if (socket !== undefined) announced.add(socket);
      if (announced.has('public') && announced.has('control')) resolve('listening');
    });
  });

const describeExit = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`;

/**
 * Starts one runtime process for one revision. The configuration holds the variables in the clear, so it is readable by
 * us alone and removed as soon as the process has read it.
 */
export const startWorkerProcess = async (input: ProcessInput, signal: AbortSignal): Promise<ProcessStart> => {
  const { folder, spec, limits } = input;
  const run = folder.newRun();
  await mkdir(run.path, { recursive: true, mode: 0o700 });
  const config = join(run.path, 'config.capnp');
  const text = renderConfig({
    spec,
    bundlePath: join('..', '..', 'bundles', `${spec.bundleDigest}.mjs`),
    publicSocket: run.publicSocket,
    controlSocket: run.controlSocket,
    heapMiB: limits.heapMiB,
  });
  await writeFile(config, text, { mode: 0o600 });
  if (signal.aborted) {
    run.remove();
    throw signal.reason;
  }
  const environment = Object.fromEntries(
    spec.secrets.map(({ name }, index) => [secretVariable(index), input.secrets[name] ?? '']),
  );
  const launched = input.launch(input.binary, ['serve', config, 'config', '--control-fd=3'], run.path, environment);
  const { child } = launched;
  if (child.pid !== undefined) writeFileSync(run.pidFile, `${child.pid}\n`, { mode: 0o600 });
  const complaints = collectComplaints(launched, input);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, cause) => resolve(describeExit(code, cause)));
    child.once('exit', launched.release);
  }).finally(run.remove);

  const kill = (): void => {
    child.kill('SIGKILL');
  };
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(limits.startTimeoutMs)]);
  const timedOut = new Promise<'timedOut'>((resolve) => {
    timeout.addEventListener('abort', () => resolve('timedOut'), { once: true });
  });
  const first = await Promise.race([listening(launched), ended.then((exit) => ({ exit })), timedOut]);
  if (first === 'listening' && child.pid !== undefined) {
    rmSync(config, { force: true });
    return {
      ok: true,
      process: {
        pid: child.pid,
        publicSocket: run.publicSocket,
        controlSocket: run.controlSocket,
        ended,
        terminate: () => {
          child.kill('SIGTERM');
        },
        kill,
      },
    };
  }
  kill();
  const exit = await ended;
  if (signal.aborted) throw signal.reason;
  if (first === 'timedOut') {
    const detail = `The worker did not finish its top-level code within ${limits.startTimeoutMs} ms`;
    return { ok: false, failure: { code: 'WorkerStartTimedOut', detail } };
  }
  return { ok: false, failure: describeFailure(exit, complaints) };
};
