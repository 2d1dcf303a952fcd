import { type BundleOutcome, type BundleProcess, createBundleProcess } from './bundleProcess.ts';
import type { Bundled, BundleJob } from './bundleProtocol.ts';
import type { BuildLimits } from './limits.ts';
import type { Refused } from './port.ts';

/** So many builds are waiting that another one would only pile up memory; try again in a moment. */
export class BuilderBusy extends Error {
  override readonly name = 'BuilderBusy';
}

/** The bundler failed for a reason that lies with this installation, not with the submission. */
export class BundlerFailed extends Error {
  override readonly name = 'BundlerFailed';
}

export type BundleService = {
  /** Waits for a free slot. Throws BuilderBusy when the queue is full and BundlerFailed when esbuild can't work. */
  readonly bundle: (job: BundleJob) => Promise<Bundled | Refused>;
  readonly close: () => void;
};

export const createBundleService = (limits: BuildLimits): BundleService => {
  const processes = Array.from({ length: limits.concurrency }, () => createBundleProcess(limits));
  const free = [...processes];
  let closed = false;
  const waiting: ((process: BundleProcess) => void)[] = [];

  const acquire = (): Promise<BundleProcess> => {
    const process = free.pop();
    if (process !== undefined) return Promise.resolve(process);
    if (waiting.length >= limits.queue)
      throw new BuilderBusy(`${limits.queue} builds are waiting already; try again in a moment.`);
    return new Promise((resolve) => waiting.push(resolve));
  };
  const release = (process: BundleProcess): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(process);
    else next(process);
  };

  const run = (process: BundleProcess, job: BundleJob): Promise<BundleOutcome> => {
    // A process ended by `close` looks like a crash; here the second try ends.
    if (closed) throw new BundlerFailed('The builder is closed.');
    return process.run(job);
  };

  const bundle = async (job: BundleJob): Promise<Bundled | Refused> => {
    const process = await acquire();
    try {
      const first = await run(process, job);
      // A process can die for reasons of its own; only a submission that ends two of them is to blame.
      const outcome = 'exceeded' in first && first.exceeded === 'crash' ? await run(process, job) : first;
      if ('answer' in outcome) return outcome.answer;
      if ('crashed' in outcome) throw new BundlerFailed(outcome.crashed);
      return tooCostly(outcome.exceeded, limits);
    } finally {
      release(process);
    }
  };

  return {
    bundle,
    close: () => {
      closed = true;
      for (const process of processes) process.close();
    },
  };
};

const tooCostly = (limit: 'time' | 'memory' | 'crash', limits: BuildLimits): Refused => {
  const what = {
    time: `took more than ${limits.timeMs} ms`,
    memory: `needed more than ${limits.memoryBytes} bytes of memory`,
    crash: 'ended the bundler twice',
  }[limit];
  return {
    rejected: 'BuildTimedOut',
    reason: `The build ${what}. Look for very deep nesting or very large generated files.`,
    details: { limit },
  };
};
