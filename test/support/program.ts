import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The built program, run as a person runs it. */
export type Program = {
  readonly child: ChildProcess;
  readonly url: string;
  /** Everything it wrote to standard error so far. */
  readonly errors: () => string;
  /** Resolves once it is ready to serve; rejects when it ends before that. */
  ready(): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
};

const program = fileURLToPath(new URL('../../bin/opslog.mjs', import.meta.url));

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

export const startProgram = (settings: Readonly<Record<string, string>>): Program => {
  const url = `http://127.0.0.1:${settings['OPSLOG_PORT']}`;
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], OPSLOG_LOG_LEVEL: 'warn', ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-20_000);
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const over = () => child.exitCode !== null || child.signalCode !== null;
  return {
    child,
    url,
    errors: () => errors,
    ready: async () => {
      while (!over()) {
        const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
        if (answer?.ok) return;
        await sleep(20);
      }
      throw new Error(`The program ended before it was ready: ${errors}`);
    },
    kill: async (signal) => {
      child.kill(signal);
      await exited;
    },
  };
};

/** Processes whose command line names this text. */
export const processesNaming = (text: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
