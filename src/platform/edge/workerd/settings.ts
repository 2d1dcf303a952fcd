import type { Clock } from '../../clock/port.ts';
import type { Log } from '../../log/port.ts';

/** What one node allows. Milliseconds and bytes unless the name says otherwise. */
export type WorkerdLimits = {
  /** V8 old-space cap of each process, in MiB. */
  readonly heapMiB: number;
  /** A process whose resident memory rises above this is killed: buffers outside the heap count too. */
  readonly residentBytes: number;
  readonly startTimeoutMs: number;
  readonly probeIntervalMs: number;
  /** A process that does not answer its own control endpoint for this long is stuck: it is killed and restarted. */
  readonly probeDeadlineMs: number;
  readonly restartBackoff: { readonly firstMs: number; readonly ceilingMs: number; readonly stableAfterMs: number };
  /** How long a replaced process may finish what it has in flight. */
  readonly drainMs: number;
  /** How long a started process may wait for its switch. */
  readonly candidateMs: number;
  readonly parallelStarts: number;
  readonly log: { readonly lineBytes: number; readonly burstLines: number; readonly linesPerSecond: number };
  readonly router: {
    readonly headerBytes: number;
    readonly urlBytes: number;
    readonly bodyBytes: number;
    readonly headersTimeoutMs: number;
    /** The whole request must have arrived by then. */
    readonly requestTimeoutMs: number;
    /** No byte from the worker for this long: 504, or the end of a response that has begun. */
    readonly upstreamIdleMs: number;
    readonly inFlightPerWorker: number;
    readonly connections: number;
  };
};

const mebibyte = 1024 * 1024;
/** The runtime itself takes some 50 MiB, and buffers of requests and responses live outside the heap. */
const besideHeapMiB = 256;

export const defaultLimits: WorkerdLimits = {
  heapMiB: 128,
  residentBytes: (128 + besideHeapMiB) * mebibyte,
  startTimeoutMs: 20_000,
  probeIntervalMs: 2_000,
  probeDeadlineMs: 5_000,
  restartBackoff: { firstMs: 100, ceilingMs: 30_000, stableAfterMs: 60_000 },
  drainMs: 30_000,
  candidateMs: 15 * 60_000,
  parallelStarts: 4,
  log: { lineBytes: 16 * 1024, burstLines: 500, linesPerSecond: 100 },
  router: {
    headerBytes: 16 * 1024,
    urlBytes: 8 * 1024,
    bodyBytes: 100 * 1024 * 1024,
    headersTimeoutMs: 15_000,
    requestTimeoutMs: 300_000,
    upstreamIdleMs: 100_000,
    inFlightPerWorker: 512,
    connections: 10_000,
  },
};

export type WorkerState = 'starting' | 'ready' | 'restarting' | 'stopping' | 'stopped';

/** One process of one worker changed its state. `reason` is for people. */
export type Transition = {
  readonly scriptName: string;
  readonly versionId: string;
  readonly revision: number;
  readonly from: WorkerState;
  readonly to: WorkerState;
  readonly reason: string;
  readonly at: number;
};

/** One line a worker wrote to its console, or one the runtime wrote about it. Values of its variables are masked. */
export type WorkerLogLine = {
  readonly scriptName: string;
  readonly versionId: string;
  readonly revision: number;
  readonly origin: 'console' | 'runtime' | 'platform';
  readonly level: string;
  readonly message: string;
  readonly at: number;
};

/** Limits with defaults for what is not given; the cap on resident memory follows the cap on the heap. */
export const withDefaults = (given: Partial<WorkerdLimits> = {}): WorkerdLimits => ({
  ...defaultLimits,
  residentBytes: ((given.heapMiB ?? defaultLimits.heapMiB) + besideHeapMiB) * mebibyte,
  ...given,
});

/** What every part of the provider is given. */
export type NodeContext = {
  readonly limits: WorkerdLimits;
  readonly clock: Clock;
  readonly log: Log;
  readonly onTransition: (transition: Transition) => void;
  readonly onLog: (line: WorkerLogLine) => void;
};
