import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Disturbance } from './machine.ts';
import type { Options } from './options.ts';

/** What one run has open; everything added is closed at the end, newest first. */
export type Context = Options & {
  readonly folder: string;
  /** Time that may still be spent on waiting for a quiet machine, and on repeating what was disturbed. */
  readonly patience: { left(): number };
  /** Of the repetitions that count, since the benchmark began. */
  readonly disturbances: Disturbance[];
  say(line: string): void;
  /** Ends with the run. */
  onEnd(step: () => unknown): void;
  end(): Promise<void>;
};

export const createContext = async (options: Options): Promise<Context> => {
  const folder = await mkdtemp(join(tmpdir(), 'opslog-bench-'));
  const steps: (() => unknown)[] = [];
  const patientUntil = performance.now() + options.patientMinutes * 60_000;
  return {
    ...options,
    folder,
    patience: { left: () => patientUntil - performance.now() },
    disturbances: [],
    say: (line) => void process.stderr.write(`${line}\n`),
    onEnd: (step) => void steps.push(step),
    end: async () => {
      for (const step of steps.splice(0).reverse()) {
        await Promise.resolve(step()).catch((error: unknown) => console.error(error));
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
};
