import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export type Running = {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Everything it wrote to standard error so far. */
  readonly errors: () => string;
  /** Resolves with its first line on standard output. */
  readonly firstLine: Promise<string>;
  stop(signal?: NodeJS.Signals): Promise<void>;
};

const beside = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** The built program. Paths are those of the bundle, which lies beside it. */
export const program = beside('../bin/opslog.mjs');
export const peer = (name: 'bareAppend' | 'bareInsert' | 'bareServer' | 'opslogQueue' | 'attacker'): string =>
  beside(`./peers/${name}.mjs`);

/** Where the peers are that have packages of their own. The benchmarks run in the folder of the project. */
export const peersFolder = resolve('bench/peers');

/** Installs the packages of the peers when they are not there, as their lock says; answers why that is not possible, or ''. */
export const installPeers = async ({ say }: { readonly say: (line: string) => void }): Promise<string> => {
  if (existsSync(join(peersFolder, 'node_modules/.package-lock.json'))) return '';
  say('installing the peers …');
  const args = ['ci', '--prefix', peersFolder, '--ignore-scripts', '--no-audit', '--no-fund'];
  const npm = spawn('npm', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  npm.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const code = await new Promise<number | null>((settle) => {
    npm.once('error', () => settle(null));
    npm.once('exit', settle);
  });
  return code === 0 ? '' : `the peers cannot be installed: ${errors.slice(-500)}`;
};

const running = new Set<Running>();

/** Starts a Node process that ends with this one. */
export const start = (file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Running => {
  const inherited = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  const child = spawn(process.execPath, [...nodeOptions(file), file, ...args], {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let errors = '';
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-20_000);
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const firstLine = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const end = output.indexOf('\n');
      if (end !== -1) resolve(output.slice(0, end));
    });
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}: ${errors}`)));
  });
  firstLine.catch(() => undefined);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
    running.delete(self);
  };
  const self: Running = { pid: child.pid ?? 0, child, errors: () => errors, firstLine, stop };
  running.add(self);
  return self;
};

/** `BENCH_PROFILE=<folder>` writes a CPU profile of every process there. */
const nodeOptions = (file: string): readonly string[] => {
  const folder = process.env['BENCH_PROFILE'];
  if (folder === undefined) return [];
  const name = `${file.split('/').at(-1)}-${Date.now()}.cpuprofile`;
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}`];
};

process.on('exit', () => {
  for (const { child } of running) child.kill('SIGKILL');
});

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });

/** Milliseconds from `from` until the address answers 200. Throws when the process ends before, or after two minutes. */
export const untilAnswers = async (process: Running, url: string, from: number): Promise<number> => {
  while (performance.now() - from < 120_000) {
    const { exitCode, signalCode } = process.child;
    if (exitCode !== null || signalCode !== null) throw new Error(`A process ended early: ${process.errors()}`);
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok) return performance.now() - from;
    await sleep(5);
  }
  throw new Error(`${url} does not answer: ${process.errors()}`);
};

/** Bytes resident in memory, now and at most since the process began. */
export const residentBytes = (pid: number): { readonly now: number; readonly peak: number } => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1_024;
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
};
