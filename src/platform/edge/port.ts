/** What one deployment puts on the air. */
export type WorkerSpec = {
  readonly workspaceId: string;
  readonly departmentId: string;
  readonly workerId: string;
  /** `dw-` and 48 hex digits; on-prem the worker answers at `<scriptName>.<base domain>`. */
  readonly scriptName: string;
  readonly versionId: string;
  readonly revision: number;
  /** SHA-256 of the bundle, one ES module, in the artifact store. */
  readonly bundleDigest: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
};

/** The fencing token of a lease: attempts of one ticket strictly rise. */
export type FencingToken = { readonly ticketId: string; readonly attempt: number };

/** The four outcomes of anything done outside. `uncertain` means it may have happened and must be looked at. */
export type StepOutcome =
  | { readonly outcome: 'done'; readonly detail: string }
  | { readonly outcome: 'refused'; readonly code: string; readonly detail: string }
  | { readonly outcome: 'retry'; readonly detail: string; readonly afterMs?: number }
  | { readonly outcome: 'uncertain'; readonly detail: string };

export type DesiredWorker = { readonly spec: WorkerSpec; readonly paused: boolean };

export type ConvergeReport = {
  readonly started: readonly string[];
  readonly stopped: readonly string[];
  readonly kept: readonly string[];
  readonly failed: readonly { readonly scriptName: string; readonly detail: string }[];
};

export type EdgeProvider = {
  readonly kind: 'workerd' | 'cloudflare';
  /** Where the world reaches a worker. */
  url(scriptName: string): string;
  /** Stable step keys in the order in which they are performed. */
  readonly steps: readonly string[];
  /** Performs one step; performing it again after it was done is recognised, never done twice. Never throws. */
  perform(step: string, spec: WorkerSpec, token: FencingToken, signal: AbortSignal): Promise<StepOutcome>;
  /** Only looks: has this step taken effect? `done` or `retry` (it has not), `uncertain` when that can't be told now. */
  probe(step: string, spec: WorkerSpec, signal: AbortSignal): Promise<StepOutcome>;
  /** Has the world seen, or may it see, this deployment once `step` begins? Before that it can still be cancelled. */
  isPublic(step: string, done: readonly string[]): boolean;
  /** Drops what a cancelled deployment prepared and the world has not seen. Idempotent; never throws. */
  abandon(spec: WorkerSpec, token: FencingToken): Promise<void>;
  /** Off the air (503) and back. Idempotent; unknown workers are remembered so that a later start obeys. */
  setPaused(scriptName: string, paused: boolean): Promise<void>;
  /** Makes the node run exactly this: called after a restart with what the log says should run. */
  converge(desired: readonly DesiredWorker[]): Promise<ConvergeReport>;
  /** The same for one worker, when another node has deployed it; the others are left alone. */
  restore(desired: DesiredWorker): Promise<void>;
  /** What runs now, for status pages and reconciliation. */
  running(): readonly {
    readonly scriptName: string;
    readonly revision: number;
    readonly bundleDigest: string;
    readonly state: string;
  }[];
  close(): Promise<void>;
};
