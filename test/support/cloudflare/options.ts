import type { Ids } from './ids.ts';

/** Bytes unless the name says otherwise. The defaults are those of a paid plan. */
export type Limits = {
  scripts: number;
  scriptBytes: number;
  textBindings: number;
  textBindingBytes: number;
  bindingNameLength: number;
  tags: number;
  tagBytes: number;
  versionTagBytes: number;
  messageBytes: number;
  deployableVersions: number;
  cronsPerAccount: number;
  domainsPerZone: number;
  routesPerZone: number;
  recordsPerBatch: number;
  recordCommentLength: number;
  tailLifetimeMs: number;
};

export const paidLimits: Limits = {
  scripts: 500,
  scriptBytes: 64 * 1024 * 1024,
  textBindings: 128,
  textBindingBytes: 5 * 1024,
  bindingNameLength: 255,
  tags: 8,
  tagBytes: 128,
  versionTagBytes: 100,
  messageBytes: 1000,
  deployableVersions: 100,
  cronsPerAccount: 250,
  domainsPerZone: 100,
  routesPerZone: 1000,
  recordsPerBatch: 3500,
  recordCommentLength: 500,
  tailLifetimeMs: 6 * 60 * 60 * 1000,
};

export const freeLimits: Limits = {
  ...paidLimits,
  scripts: 100,
  textBindings: 64,
  cronsPerAccount: 5,
  recordsPerBatch: 200,
  recordCommentLength: 100,
};

export type Token = {
  readonly value: string;
  readonly email: string;
  /** The accounts that it may touch; all of them when absent. */
  readonly accountIds?: readonly string[];
  readonly readOnly?: boolean;
};

/** How long a new version cannot be read: so many reads, or so long by the server's clock; both must be over. */
export type Lag = {
  reads: number;
  ms: number;
  /** Whether a deployment of a version that cannot be read yet is refused too. */
  deployments: boolean;
};

/** May be changed while the server runs. */
export type Behaviour = {
  limits: Limits;
  lag: Lag;
  rateLimit: { requests: number; windowMs: number };
  /** The code for an identical record was 81057 once. */
  identicalRecordCode: 81057 | 81058;
};

export type AccountOptions = { readonly id: string; readonly name?: string; readonly workersDevSubdomain?: string };

export type ZoneOptions = {
  readonly name: string;
  readonly id?: string;
  readonly accountId?: string;
  readonly status?: 'initializing' | 'pending' | 'active' | 'moved';
};

export type CloudflareOptions = {
  /** Milliseconds since the epoch; every date, expiry, lag in time and rate window follows it. */
  readonly now?: () => number;
  readonly ids?: Ids;
  readonly port?: number;
  readonly accounts?: readonly AccountOptions[];
  readonly zones?: readonly ZoneOptions[];
  readonly tokens?: readonly Token[];
  readonly limits?: Partial<Limits>;
  readonly lag?: Partial<Lag>;
  readonly rateLimit?: { readonly requests: number; readonly windowMs?: number };
  readonly identicalRecordCode?: 81057 | 81058;
};
