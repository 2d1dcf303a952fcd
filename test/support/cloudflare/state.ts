/** Everything the server remembers. Maps keep the order of creation. */
export type Source = 'api' | 'dash' | 'wrangler';

export type Annotations = Readonly<Record<string, string>>;

export type Binding =
  | { readonly type: 'plain_text'; readonly name: string; readonly text: string }
  | { readonly type: 'secret_text'; readonly name: string; readonly text: string }
  | { readonly type: 'json'; readonly name: string; readonly json: unknown }
  | { readonly type: 'service'; readonly name: string; readonly service: string }
  | {
      readonly type: 'resource';
      readonly name: string;
      readonly kind: string;
      readonly fields: Readonly<Record<string, unknown>>;
    };

export type Module = { readonly name: string; readonly type: string; readonly content: Uint8Array };

/** What an upload fixes for ever. */
export type VersionContent = {
  readonly format: 'modules' | 'service-worker';
  readonly mainModule: string;
  readonly modules: readonly Module[];
  readonly handlers: readonly string[];
  readonly etag: string;
  readonly bindings: readonly Binding[];
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  readonly limits: Readonly<Record<string, unknown>>;
  readonly annotations: Annotations;
};

export type Version = VersionContent & {
  readonly id: string;
  readonly number: number;
  /** ISO 8601. */
  readonly createdOn: string;
  readonly authorEmail: string;
  readonly source: Source;
  /** Milliseconds of the server's clock from which on it can be read. */
  readonly readableAt: number;
  /** Reads that will still not see it. */
  hiddenReads: number;
};

export type Deployment = {
  readonly id: string;
  readonly createdOn: string;
  readonly source: Source;
  readonly authorEmail: string;
  readonly annotations: Annotations;
  readonly versions: readonly { readonly versionId: string; readonly percentage: number }[];
};

export type Schedule = { readonly cron: string; readonly createdOn: string; readonly modifiedOn: string };

/** Settings of the script itself, outside any version. */
export type ScriptSettings = {
  readonly logpush: boolean;
  readonly observability: unknown;
  readonly tags: readonly string[];
  readonly tailConsumers: readonly { readonly service: string }[];
};

export type Script = {
  readonly name: string;
  /** The immutable id; a script that is deleted and uploaded again has another one. */
  readonly tag: string;
  readonly createdOn: string;
  modifiedOn: string;
  settings: ScriptSettings;
  /** Oldest first. */
  versions: Version[];
  /** Newest first: the first one serves. */
  deployments: Deployment[];
  schedules: Schedule[];
  subdomain: { readonly enabled: boolean; readonly previewsEnabled: boolean };
};

export type CustomDomain = {
  readonly id: string;
  readonly hostname: string;
  readonly service: string;
  readonly zoneId: string;
  readonly certId: string;
  readonly recordId: string;
};

export type Certificate = { readonly id: string; readonly hostname: string; readonly zoneId: string };

export type Tail = {
  readonly id: string;
  readonly scriptTag: string;
  readonly scriptName: string;
  readonly accountId: string;
  readonly expiresAt: number;
};

export type Account = {
  readonly id: string;
  readonly name: string;
  /** The part before `.workers.dev`. */
  readonly workersDevSubdomain: string;
  readonly scripts: Map<string, Script>;
  readonly domains: Map<string, CustomDomain>;
};

export type DnsRecord = {
  readonly id: string;
  readonly type: string;
  /** Always the full name, lower case. */
  readonly name: string;
  readonly content: string;
  readonly ttl: number;
  readonly proxied: boolean;
  readonly priority: number | undefined;
  readonly comment: string | undefined;
  readonly tags: readonly string[];
  readonly createdOn: string;
  readonly modifiedOn: string;
  /** Set on a record that a custom domain owns: such a record cannot be edited by hand. */
  readonly originWorkerId: string | undefined;
};

export type WorkerRoute = { readonly id: string; readonly pattern: string; readonly script: string | undefined };

export type Zone = {
  readonly id: string;
  readonly name: string;
  readonly accountId: string;
  readonly status: 'initializing' | 'pending' | 'active' | 'moved';
  readonly createdOn: string;
  readonly records: Map<string, DnsRecord>;
  readonly routes: Map<string, WorkerRoute>;
};

export type CloudflareState = {
  readonly accounts: Map<string, Account>;
  readonly zones: Map<string, Zone>;
  /** Certificates outlive the custom domain for which they were made. */
  readonly certificates: Map<string, Certificate>;
  readonly tails: Map<string, Tail>;
};
