import { type RunningEventStore, startEventStore } from './server.ts';

export type StandaloneOptions = {
  readonly port: number;
  readonly dataDir: string;
  readonly host?: string;
  readonly accessKey?: string;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Called once it listens. */
  readonly ready?: (running: Omit<RunningEventStore, 'close'>) => void;
};

/** Runs the event store alone until the signal aborts; resolves when it is closed. Throws what `startEventStore` throws. */
export const runEventStore = async ({ signal, ready, ...options }: StandaloneOptions): Promise<void> => {
  const server = await startEventStore(options);
  try {
    ready?.(server);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  } finally {
    await server.close();
  }
};
