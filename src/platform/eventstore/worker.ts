import { parentPort, workerData } from 'node:worker_threads';
import { startEventStore } from './server.ts';
import { isWorkerOptions, isWorkerRequest, type WorkerMessage } from './threadProtocol.ts';

/** The event store as a thread of its own, so that appends and the program do not wait for each other. */
const tell = (message: WorkerMessage): void => parentPort?.postMessage(message);

const run = async (): Promise<void> => {
  const options: unknown = workerData;
  if (!isWorkerOptions(options)) throw new Error('The event store thread was started without its options');
  const server = await startEventStore(options);
  const close = async (): Promise<void> => {
    await server.close();
    tell({ kind: 'closed' });
    parentPort?.close();
  };
  const copy = async (id: number, folder: string): Promise<void> => {
    const failure = await server.copyTo(folder).then(
      () => '',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    tell({ kind: 'copied', id, failure });
  };
  parentPort?.on('message', (request: unknown) => {
    if (!isWorkerRequest(request)) return;
    void (request === 'close' ? close() : copy(request.id, request.folder));
  });
  tell({ kind: 'started', port: server.port, connectionString: server.connectionString });
};

run().catch((error: unknown) => {
  tell({
    kind: 'failed',
    name: error instanceof Error ? error.name : 'Error',
    message: error instanceof Error ? error.message : String(error),
  });
  parentPort?.close();
});
