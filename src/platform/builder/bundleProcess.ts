import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { letOthersGoFirst } from '../node/precedence.ts';
import { residentBytes } from '../node/processMemory.ts';
import { type BundleAnswer, type BundleJob, bundleAnswer } from './bundleProtocol.ts';
import type { BuildLimits } from './limits.ts';

/** `exceeded` says which limit ended the process; `crash` is one that died by itself. */
export type BundleOutcome = BundleAnswer | { readonly exceeded: 'time' | 'memory' | 'crash' };

/** One bundling process, started when first needed, kept warm, ended after a quiet time and replaced after a failure. */
export type BundleProcess = {
  readonly run: (job: BundleJob) => Promise<BundleOutcome>;
  readonly close: () => void;
};

const IDLE_MS = 30_000;
const MEMORY_CHECK_MS = 20;

/** Beside this file in the bundled program; in dist/ when the sources run as they are. */
const childFile = (): string => {
  const beside = fileURLToPath(new URL('./bundleChild.js', import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL('../../../dist/bundleChild.js', import.meta.url));
};

const start = (limits: BuildLimits): ChildProcess => {
  const child = fork(childFile(), [], {
    // A group of its own, so that esbuild below it can be ended with it.
    detached: process.platform !== 'win32',
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    cwd: tmpdir(),
    // No secret of ours in its environment, and a soft ceiling for esbuild, which is written in Go.
    env: {
      GOMEMLIMIT: `${Math.floor(limits.memoryBytes * 0.6)}B`,
      ...(process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] } : {}),
    },
    execArgv: ['--max-old-space-size=128'],
  });
  letOthersGoFirst(child);
  // The run that is waiting hears of it by its own listener; between runs there is nobody to tell.
  child.on('error', () => undefined);
  return child;
};

const kill = (child: ChildProcess): void => {
  try {
    if (child.pid !== undefined && process.platform !== 'win32') process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
};

export const createBundleProcess = (limits: BuildLimits): BundleProcess => {
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;

  const end = (): void => {
    clearTimeout(idle);
    if (child !== undefined) kill(child);
    child = undefined;
  };

  const rest = (): void => {
    // A warm process must not keep the program alive.
    child?.unref();
    child?.channel?.unref();
    idle = setTimeout(end, IDLE_MS);
    idle.unref();
  };

  const wake = (): ChildProcess => {
    clearTimeout(idle);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null || !child.connected)
      child = start(limits);
    child.ref();
    child.channel?.ref();
    return child;
  };

  const run = async (job: BundleJob): Promise<BundleOutcome> => {
    const outcome = await askOnce(wake(), job, limits);
    const resident = child?.pid === undefined ? undefined : residentBytes(child.pid);
    if (!('answer' in outcome) || (resident ?? 0) > limits.restingBytes) end();
    else rest();
    return outcome;
  };

  return { run, close: end };
};

/** Settles with the answer or with the first limit the process went over; the caller ends the process. */
const askOnce = (child: ChildProcess, job: BundleJob, limits: BuildLimits): Promise<BundleOutcome> =>
  new Promise((resolve) => {
    const settle = (outcome: BundleOutcome): void => {
      clearTimeout(timer);
      clearInterval(watch);
      child.off('message', onMessage).off('exit', onExit).off('error', onExit);
      resolve(outcome);
    };
    const onMessage = (message: unknown): void => settle(bundleAnswer.parse(message));
    const onExit = (): void => settle({ exceeded: 'crash' });
    const timer = setTimeout(() => settle({ exceeded: 'time' }), limits.timeMs);
    const watch = setInterval(() => {
      const resident = child.pid === undefined ? undefined : residentBytes(child.pid);
      if (resident !== undefined && resident > limits.memoryBytes) settle({ exceeded: 'memory' });
    }, MEMORY_CHECK_MS);
    child.once('message', onMessage).once('exit', onExit).once('error', onExit);
    child.send(job);
  });
