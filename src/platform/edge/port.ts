/** A secret as a revision pins it: never the value, which whoever deploys asks the vault for. */
export type PinnedSecret = { readonly name: string; readonly version: number; readonly digest: string };

/** Five fields of cron, in an IANA time zone. */
export type Schedule = { readonly cron: string; readonly timeZone: string };

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
  readonly secrets: readonly PinnedSecret[];
  readonly schedules: readonly Schedule[];
};

/** The fencing token of a lease: attempts of one ticket strictly rise. */
export type FencingToken = { readonly ticketId: string; readonly attempt: number };

/** Short texts by name; never a secret. */
export type Facts = Readonly<Record<string, string>>;

/** A ticket in somebody's hands, with what its earlier steps, of any attempt, have left as facts: the step ledger. */
export type Attempt = FencingToken & {
  readonly ledger?: Facts;
  /** Its lease has ended by the clock, though no signal may have said so yet: a process that stood still. To be asked right before an effect. */
  readonly ranOut?: () => boolean;
};

/**
 * The four outcomes of anything done outside. `uncertain` means it may have happened and must be looked at. `facts` say
 * what was `asked`, `answered` and `found`, for whoever reads the ticket; those of a step that is done go into the ledger
 * under their own names, for example the version id that an upload led to.
 */
export type StepOutcome =
  | { readonly outcome: 'done'; readonly detail: string; readonly facts?: Facts }
  | { readonly outcome: 'refused'; readonly code: string; readonly detail: string; readonly facts?: Facts }
  | { readonly outcome: 'retry'; readonly detail: string; readonly afterMs?: number; readonly facts?: Facts }
  | { readonly outcome: 'uncertain'; readonly detail: string; readonly facts?: Facts };

export type DesiredWorker = { readonly spec: WorkerSpec; readonly paused: boolean };

export type ConvergeReport = {
  readonly started: readonly string[];
  readonly stopped: readonly string[];
  readonly kept: readonly string[];
  readonly failed: readonly { readonly scriptName: string; readonly detail: string }[];
};

/** A host name of a worker. `adopt` allows taking over what is there and not ours; without it a conflict is refused. */
export type DomainSpec = {
  readonly hostname: string;
  readonly scriptName: string;
  readonly adopt: boolean;
  /** Names what this platform made for the domain, where the provider keeps a note: whoever cleans up looks for it. */
  readonly domainId: string;
};

/** One instant of a schedule, in milliseconds since the epoch. */
export type Firing = { readonly cron: string; readonly scheduledTime: number };

/** What a provider has under a script name of ours. */
export type FoundWorker = {
  readonly scriptName: string;
  /** Revision on the air, 0 when that can't be told. */
  readonly revision: number;
  readonly bundleDigest: string;
  /** The deployment ticket that put it there, '' when it was not one of ours. */
  readonly ticketId: string;
  readonly state: string;
  /** Who deployed it last, as the provider names them; '' when unknown. */
  readonly by: string;
};

/** The list a provider gave, whole or not at all: half a list would make orphans of what is missing from it. */
export type Inventory =
  | { readonly ok: true; readonly workers: readonly FoundWorker[] }
  | { readonly ok: false; readonly detail: string };

export type ProviderKind = 'workerd' | 'cloudflare';

/** What every place that workers run at can do. Nothing here throws; whatever happens outside is an outcome. */
export type EdgeProvider = {
  readonly kind: ProviderKind;
  /** The deployment scope: `onprem:<12 hex>`, or `cloud:<12 hex>` from the account. */
  readonly scope: string;
  /** Where the world reaches a worker. */
  url(scriptName: string): string;
  /** Stable step keys in the order in which they are performed. */
  readonly steps: readonly string[];
  /** Performs one step; performing it again after it was done is recognised, never done twice. Never throws. */
  perform(step: string, spec: WorkerSpec, attempt: Attempt, signal: AbortSignal): Promise<StepOutcome>;
  /** Only looks: has this step taken effect? `done` or `retry` (it has not), `uncertain` when that can't be told now. */
  probe(step: string, spec: WorkerSpec, attempt: Attempt, signal: AbortSignal): Promise<StepOutcome>;
  /**
   * Has the world seen, or may it see, this deployment once `step` begins? Before that it can still be cancelled. `done` are
   * the steps of this attempt, the ledger knows what earlier ones did.
   */
  isPublic(step: string, done: readonly string[], ledger?: Facts): boolean;
  /** Drops what a cancelled deployment prepared and the world has not seen. Idempotent; never throws. */
  abandon(spec: WorkerSpec, token: FencingToken): Promise<void>;
  /** Off the air (503) and back, as one idempotent step outside. */
  present(spec: WorkerSpec, paused: boolean, attempt: Attempt, signal: AbortSignal): Promise<StepOutcome>;
  /** Attaches, verifies, detaches a host name. Each looks first, and is done when it finds what it would make. */
  attachDomain(domain: DomainSpec, signal: AbortSignal): Promise<StepOutcome>;
  verifyDomain(domain: DomainSpec, signal: AbortSignal): Promise<StepOutcome>;
  detachDomain(domain: DomainSpec, signal: AbortSignal): Promise<StepOutcome>;
  /** Takes the script down for good, with what belongs to it. One that is not there is done. */
  remove(scriptName: string, signal: AbortSignal): Promise<StepOutcome>;
  /** Every script of ours (`dw-…`) that is there now. */
  inventory(signal: AbortSignal): Promise<Inventory>;
  close(): Promise<void>;
};

/** A provider whose workers run on this very machine. */
export type NodeProvider = EdgeProvider & {
  /** Off the air (503) and back. Idempotent; unknown workers are remembered so that a later start obeys. */
  setPaused(scriptName: string, paused: boolean): Promise<void>;
  /** Makes the node run exactly this: called after a restart with what the log says should run. */
  converge(desired: readonly DesiredWorker[]): Promise<ConvergeReport>;
  /** The same for one worker, when another node has deployed it; the others are left alone. */
  restore(desired: DesiredWorker): Promise<void>;
  /**
   * Calls the scheduled handler of the worker on the air. `retry` when the call did not reach it, `uncertain` when it may
   * have run.
   */
  runScheduled(scriptName: string, firing: Firing, signal: AbortSignal): Promise<StepOutcome>;
  /** Stops a worker that should not run any more; one that does not run is fine. */
  drop(scriptName: string): Promise<void>;
  /** What runs now, for status pages and reconciliation. */
  running(): readonly {
    readonly scriptName: string;
    readonly revision: number;
    readonly bundleDigest: string;
    readonly state: string;
  }[];
};
