import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { DataFolderInUse } from './folderLock.ts';
import type { RunningEventStore } from './server.ts';
import { isWorkerMessage, type WorkerMessage, type WorkerOptions, type WorkerRequest } from './threadProtocol.ts';

export type EventStoreThreadOptions = WorkerOptions & {
  /** Called when the thread dies by itself. Without it the error is thrown where nobody catches it: the program ends. */
  readonly onFailure?: (error: Error) => void;
};

/** Beside this file in the bundle; in dist/ when this file is run from its source. */
const workerFile = (): string => {
  const beside = fileURLToPath(new URL('./eventstoreWorker.js', import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL('../../../dist/eventstoreWorker.js', import.meta.url));
};

const throwToNobody = (error: Error): void => {
  setImmediate(() => {
    throw error;
  });
};

const rebuilt = ({ name, message }: Extract<WorkerMessage, { kind: 'failed' }>): Error =>
  name === 'DataFolderInUse' ? new DataFolderInUse(message) : Object.assign(new Error(message), { name });

/** The same as `startEventStore`, in a thread of its own. Throws DataFolderInUse, and what else keeps it from starting. */
export const startEventStoreThread = (options: EventStoreThreadOptions): Promise<RunningEventStore> => {
  const { onFailure = throwToNobody, ...workerData } = options;
  const worker = new Worker(workerFile(), { workerData, execArgv: [] });
  let closing = false;
  let started = false;
  let exited = false;
  const exit = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      exited = true;
      resolve();
    });
  });

  const ask = (request: WorkerRequest): void => worker.postMessage(request);
  const copies = createCopies(ask);

  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      if (!started) reject(error);
      else if (!closing) onFailure(error);
      closing = true;
      copies.fail(error.message);
    };
    worker.on('error', failed);
    worker.on('exit', (code) => failed(new Error(`The event store thread ended with code ${code}`)));
    worker.on('message', (message: unknown) => {
      if (!isWorkerMessage(message)) return;
      if (message.kind === 'failed') failed(rebuilt(message));
      if (message.kind === 'copied') copies.settle(message.id, message.failure);
      if (message.kind !== 'started') return;
      started = true;
      resolve({
        port: message.port,
        connectionString: message.connectionString,
        copyTo: copies.begin,
        close: async () => {
          closing = true;
          if (!exited) ask('close');
          await exit;
        },
      });
    });
  });
};

/** Copies that the thread is making; each settles with its answer, or when the thread is gone. */
const createCopies = (ask: (request: WorkerRequest) => void) => {
  const waiting = new Map<number, (failure: string) => void>();
  let last = 0;
  return {
    begin: (folder: string): Promise<void> =>
      new Promise((resolve, reject) => {
        last += 1;
        const id = last;
        waiting.set(id, (failure) => (failure === '' ? resolve() : reject(new Error(failure))));
        ask({ kind: 'copy', id, folder });
      }),
    settle: (id: number, failure: string): void => {
      waiting.get(id)?.(failure);
      waiting.delete(id);
    },
    fail: (failure: string): void => {
      for (const settle of waiting.values()) settle(failure);
      waiting.clear();
    },
  };
};
