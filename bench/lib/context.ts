import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Options } from './options.ts';

/** What one run has open; everything added is closed at the end, newest first. */
export type Context = Options & {
  readonly folder: string;
  say(line: string): void;
  /** Ends with the run. */
  onEnd(step: () => unknown): void;
  end(): Promise<void>;
};

export const createContext = async (options: Options): Promise<Context> => {
  const folder = await mkdtemp(join(tmpdir(), 'opslog-bench-'));
  const steps: (() => unknown)[] = [];
  return {
    ...options,
    folder,
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
