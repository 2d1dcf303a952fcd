import { staging } from './staging.ts';
import type { Store } from './store.ts';
import type { WriteCommand, WriteResult } from './writeCommand.ts';

export type Writer = {
  /** Resolves once the outcome is on disk. Rejects when the disk refuses: then nothing of the command was written. */
  submit(command: WriteCommand): Promise<WriteResult>;
  /** Resolves when everything submitted has been answered. */
  drain(): Promise<void>;
};

type Waiting = {
  readonly command: WriteCommand;
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: unknown) => void;
};

const GROUP_COMMANDS = 4_096;
const GROUP_BYTES = 8 * 1024 * 1024;

const bytesOf = (command: WriteCommand): number =>
  command.kind === 'append'
    ? command.events.reduce((sum, event) => sum + event.data.length + event.metadata.length, 0)
    : 0;

/** How many of the waiting commands share the next commit. */
const groupSize = (queue: readonly Waiting[]): number => {
  let bytes = 0;
  for (const [index, { command }] of queue.entries()) {
    bytes += bytesOf(command);
    if (index + 1 === GROUP_COMMANDS || bytes >= GROUP_BYTES) return index + 1;
  }
  return queue.length;
};

/**
 * Group commit: while one group is on its way to the disk the next one gathers, so many writers share one sync.
 * `committed` is called after every commit.
 */
export const startWriter = (store: Store, now: () => number, committed: () => void): Writer => {
  const staged = staging(store, now);
  const queue: Waiting[] = [];
  let running: Promise<void> | undefined;

  const commit = async (taken: readonly Waiting[]): Promise<void> => {
    const answers = taken.map(({ command, resolve }) => {
      const result = staged.decide(command);
      return () => resolve(result);
    });
    const { events, newStreams } = staged.takeGroup();
    if (events.length > 0) await store.write(events, newStreams);
    for (const answer of answers) answer();
    if (events.length > 0) committed();
  };

  const run = async (): Promise<void> => {
    // Lets everything that arrives in this turn of the event loop into the first group.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const taken = queue.splice(0, groupSize(queue));
      try {
        await commit(taken);
      } catch (error) {
        staged.reset();
        for (const { reject } of taken) reject(error);
      }
      staged.trim();
    }
    running = undefined;
  };

  return {
    submit: (command) =>
      new Promise((resolve, reject) => {
        queue.push({ command, resolve, reject });
        running ??= run();
      }),
    drain: async () => {
      while (running !== undefined) await running;
    },
  };
};
