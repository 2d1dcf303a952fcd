import type { OpenPastTables } from '../../projections/past/replay.ts';
import type { Queries } from '../../projections/queries.ts';
import { type PastProcess, type PastProcessLimits, startPastProcess } from './process.ts';
import { replayedAnswer } from './protocol.ts';

export type PastProcessOptions = {
  readonly eventStoreUrl: string;
  readonly limits: PastProcessLimits;
  /** Any queries: they say which ones there are. */
  readonly shape: Queries;
  /** Told the number of every process that was started. */
  readonly onStarted?: (pid: number | undefined) => void;
};

/** Each in a process of its own, which reads the log itself: of the thread that answers it takes the names of streams and rows. */
export const inProcesses =
  ({ eventStoreUrl, limits, shape, onStarted }: PastProcessOptions): OpenPastTables =>
  async ({ position, pages }, signal) => {
    signal.throwIfAborted();
    const process = startPastProcess(limits);
    onStarted?.(process.pid);
    signal.addEventListener('abort', process.end);
    try {
      const [answer] = await Promise.all([process.replay(eventStoreUrl, position), handOver(process, pages)]);
      const { gone } = process;
      return {
        queries: queriesOf(process, shape),
        replayed: replayedAnswer.parse(answer),
        close: async () => process.end(),
        gone,
      };
    } catch (error) {
      process.end();
      throw error;
    } finally {
      signal.removeEventListener('abort', process.end);
    }
  };

const handOver = async (process: PastProcess, pages: AsyncIterable<readonly string[]>): Promise<void> => {
  for await (const names of pages) process.streams(names, false);
  process.streams([], true);
};

/** The same questions, asked over there. Has nothing else, so that nobody takes it for a promise. */
const queriesOf = (process: PastProcess, shape: Queries): Queries =>
  new Proxy(shape, {
    get: (known, name) =>
      typeof name === 'string' && Object.hasOwn(known, name) ? (args: unknown) => process.query(name, args) : undefined,
  });
