import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const bin = join(import.meta.dirname, '../../bin/opslog.mjs');

export type Ran = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The last line of standard output as JSON; throws when it is none. */
  readonly json: <Schema extends z.ZodType>(schema: Schema) => z.output<Schema>;
  /** Every line of standard output as JSON. */
  readonly lines: () => readonly unknown[];
};

export type RunOptions = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
};

/** The environment of a person: nothing of the machine's own Opslog settings, a home that is empty. */
const environment = (home: string, more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  XDG_CONFIG_HOME: join(home, 'config'),
  ...more,
});

export type Workbench = {
  readonly home: string;
  /** Runs the built program as a person would. */
  readonly opslog: (args: readonly string[], options?: RunOptions) => Promise<Ran>;
  readonly start: (args: readonly string[], options?: RunOptions) => ChildProcess;
  readonly remove: () => Promise<void>;
};

/** A home and a working folder of their own. */
export const workbench = async (): Promise<Workbench> => {
  const home = await mkdtemp(join(tmpdir(), 'opslog-cli-'));
  const start = (args: readonly string[], { cwd = home, env = {} }: RunOptions = {}): ChildProcess =>
    spawn(process.execPath, [bin, ...args], { cwd, env: environment(home, env) });
  const opslog = async (args: readonly string[], options: RunOptions = {}): Promise<Ran> => {
    const child = start(args, options);
    const output = { stdout: '', stderr: '' };
    child.stdout?.on('data', (chunk: Buffer) => {
      output.stdout += chunk.toString('utf8');
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      output.stderr += chunk.toString('utf8');
    });
    child.stdin?.end(options.input ?? '');
    await once(child, 'close');
    const lines = (): readonly unknown[] =>
      output.stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line): unknown => JSON.parse(line));
    return { code: child.exitCode, ...output, lines, json: (schema) => schema.parse(lines().at(-1)) };
  };
  return { home, opslog, start, remove: () => rm(home, { recursive: true, force: true }) };
};

const served = z.object({
  ok: z.literal(true),
  url: z.string(),
  edgeUrl: z.string(),
  admin: z.object({ email: z.string(), password: z.string().optional() }),
});

export type Served = z.infer<typeof served> & {
  readonly dataDir: string;
  readonly pid: number;
  /** Everything it wrote to standard error. */
  readonly log: () => string;
  /** SIGTERM; answers the exit code. */
  readonly stop: () => Promise<number | null>;
};

/**
 * `opslog serve` on free ports, in a folder of its own, under a password that was chosen for it; `env` is added to its settings
 * and may choose another.
 */
export const serve = async (
  bench: Workbench,
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Served> => {
  const args = ['serve', '--json', '--data', dataDir, '--port', '0', '--edge-port', '0'];
  const settings = { OPSLOG_LOG_LEVEL: 'warn', OPSLOG_ADMIN_PASSWORD: 'chosen for the tests', ...env };
  const child = bench.start(args, { env: settings });
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString('utf8');
  });
  const first = await firstLine(child).catch((error: unknown) => {
    throw new Error(`serve did not start: ${String(error)}\n${log}`);
  });
  const answer = served.parse(JSON.parse(first));
  return {
    ...answer,
    admin: { password: settings.OPSLOG_ADMIN_PASSWORD, ...answer.admin },
    dataDir,
    pid: child.pid ?? 0,
    log: () => log,
    stop: async () => {
      if (child.exitCode !== null) return child.exitCode;
      child.kill('SIGTERM');
      await once(child, 'close');
      return child.exitCode;
    },
  };
};

export const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    child.once('close', (code) => reject(new Error(`ended with code ${code}`)));
  });

export const failed = z.object({
  ok: z.literal(false),
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
});
