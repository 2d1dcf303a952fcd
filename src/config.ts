import { z } from 'zod';
import type { S3Place } from './platform/artifacts/open.ts';
import { readS3Address } from './platform/artifacts/s3Address.ts';
import { type AddressRange, parseRange } from './platform/outbound/addresses.ts';
import { parseMasterKeys } from './platform/vault/configuredKeys.ts';
import type { MasterKey } from './platform/vault/masterKeys.ts';

/** What a part of the program may do in this process. */
export const roles = ['api', 'projector', 'runner', 'publisher'] as const;
export type Role = (typeof roles)[number];

const port = z.coerce.number().int().min(0).max(65_535);
const whole = (from: number, to: number) => z.coerce.number().int().min(from).max(to);
const roleList = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .pipe(z.array(z.enum(roles)).min(1));

const masterKeys = z.string().transform((text, context) => {
  const parsed = parseMasterKeys(text);
  if (parsed.ok) return parsed.keys;
  // Without the value: it is a secret even when it is wrong.
  context.issues.push({ code: 'custom', message: parsed.problem, input: '' });
  return z.NEVER;
});

const addressRanges = z.string().transform((text, context) => {
  const ranges: AddressRange[] = [];
  for (const each of text.split(',')) {
    const range = parseRange(each);
    if (range) ranges.push(range);
    else context.addIssue({ code: 'custom', message: `"${each.trim()}" is no range such as 10.0.0.0/8 or fd00::/8` });
  }
  return ranges;
});

const s3Address = z.string().transform((text, context) => {
  const read = readS3Address(text);
  if (read.ok) return read.address;
  context.addIssue({ code: 'custom', message: read.problem });
  return z.NEVER;
});

const environment = z.object({
  OPSLOG_DATA_DIR: z.string().min(1).default('./data').describe('folder for everything this node keeps'),
  OPSLOG_SHARED_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('folder for artifacts and keys that all nodes of one installation see; the data folder when not set'),
  OPSLOG_ARTIFACTS_URL: s3Address
    .optional()
    .describe('s3://bucket/prefix?endpoint=https://…&region=auto to keep artifacts there; a folder when not set'),
  OPSLOG_S3_ACCESS_KEY_ID: z.string().trim().min(1).optional().describe('id of the access key for it'),
  OPSLOG_S3_SECRET_ACCESS_KEY: z.string().trim().min(1).optional().describe('its secret, never shown anywhere'),
  OPSLOG_HOST: z.string().min(1).default('127.0.0.1').describe('address the API listens on'),
  OPSLOG_PORT: port.default(8080).describe('port of the API'),
  OPSLOG_EDGE_HOST: z.string().min(1).default('127.0.0.1').describe('address the edge router listens on'),
  OPSLOG_EDGE_PORT: port.default(8788).describe('port of the edge router'),
  OPSLOG_EDGE_TLS_PORT: port
    .optional()
    .describe('port where the edge router serves HTTPS with the certificates of host names; no HTTPS when not set'),
  OPSLOG_TRUST_PROXY: z
    .enum(['true', 'false'])
    .default('false')
    .describe('true behind a proxy of yours: its X-Forwarded-For and X-Forwarded-Proto then count'),
  OPSLOG_EDGE_BASE_DOMAIN: z.string().min(1).default('localhost').describe('workers answer at <script name>.<this>'),
  OPSLOG_ROLES: roleList.default([...roles]).describe('comma-separated: api, projector, runner, publisher'),
  OPSLOG_EDGE_PROVIDER: z
    .enum(['workerd', 'cloudflare'])
    .default('workerd')
    .describe('where a worker is deployed first when nobody says where; later it stays there'),
  CLOUDFLARE_ACCOUNT_ID: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be the 32 hex digits of the account')
    .optional()
    .describe('account whose Workers this installation deploys to; no Cloudflare when not set'),
  CLOUDFLARE_API_TOKEN: z.string().trim().min(1).optional().describe('API token for it, never shown anywhere'),
  CLOUDFLARE_API_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.cloudflare.com/client/v4')
    .describe('address of the API'),
  OPSLOG_CLOUDFLARE_WORKERS_SUBDOMAIN: z
    .string()
    .regex(/^[a-z0-9-]{1,63}$/, 'must be the part before .workers.dev')
    .optional()
    .describe('workers answer at <script name>.<this>.workers.dev; by their domains alone when not set'),
  EVENTSTORE_URL: z
    .string()
    .startsWith('esdb')
    .optional()
    .describe('esdb://… of an EventStoreDB; embedded when not set'),
  OPSLOG_EVENTSTORE_PORT: port.default(0).describe('port of the embedded event store; 0 takes any'),
  DATABASE_URL: z
    .string()
    .regex(/^(postgres|postgresql|mysql|mariadb):\/\//, 'must begin with postgres:// or mysql://')
    .optional()
    .describe('postgres://… or mysql://… for the read tables; embedded when not set'),
  OPSLOG_DATABASE_CONNECTIONS: whole(2, 200)
    .default(10)
    .describe('database connections at most; on PostgreSQL one more to project with'),
  NATS_URL: z.string().min(1).optional().describe('nats://… to publish every event; nothing is published when not set'),
  OPSLOG_NATS_STREAM: z.string().min(1).default('OPSLOG').describe('JetStream stream'),
  OPSLOG_NATS_SUBJECTS: z.string().min(1).default('opslog').describe('first token of every subject'),
  OPSLOG_ADMIN_EMAIL: z.email().default('admin@opslog.local').describe('administrator of a fresh installation'),
  OPSLOG_ADMIN_PASSWORD: z
    .string()
    .min(12)
    .optional()
    .describe('password of that administrator; one is made and shown once when not set'),
  OPSLOG_WORKSPACE_CREATION: z
    .enum(['operator', 'anyone'])
    .default('operator')
    .describe('who creates workspaces: operator for the first administrator alone, anyone for whoever is signed in'),
  OPSLOG_MASTER_KEYS: masterKeys
    .optional()
    .describe('master keys that wrap the keys of secrets, as 2:<base64>,1:<base64>; kept in files when not set'),
  OPSLOG_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info').describe('what is logged'),
  OPSLOG_REQUESTS_PER_SECOND: whole(1, 1_000_000).default(200).describe('per caller, before 429'),
  OPSLOG_WORKSPACE_REQUESTS_PER_SECOND: whole(1, 1_000_000)
    .default(500)
    .describe('of all callers of a workspace together, before 429'),
  OPSLOG_RUNNER_CONCURRENCY: whole(1, 64).default(4).describe('deployments carried out at once'),
  OPSLOG_JOB_CONCURRENCY: whole(1, 256).default(16).describe('jobs of the queue carried out at once'),
  OPSLOG_RETENTION_REVISIONS: whole(1, 100_000).default(100).describe('newest revisions of a worker that are kept'),
  OPSLOG_ROLLBACK_REVISIONS: whole(2, 10_000)
    .default(10)
    .describe('revisions that went live last, kept for rolling back whatever their age'),
  OPSLOG_RECONCILE_MINUTES: whole(0, 1_440)
    .default(10)
    .describe('minutes between two looks at what the providers run; 0 for never'),
  OPSLOG_RECONCILE_APPLY: z
    .enum(['true', 'false'])
    .default('false')
    .describe('true to let these looks also put right what they find: take orphans down, deploy again'),
  OPSLOG_OUTBOUND_ALLOW: addressRanges
    .optional()
    .describe(
      'address ranges, as 10.0.0.0/8,fd00::/8, that webhooks may reach although they are not public; none when not set',
    ),
  OPSLOG_OUTBOUND_HTTP: z
    .enum(['true', 'false'])
    .default('false')
    .describe('true to let webhooks go to http:// too, where they are read on their way'),
  OPSLOG_WORKER_MEMORY_MB: whole(32, 4_096).default(128).describe('heap of one worker process'),
});

export type CloudflareAccount = {
  readonly accountId: string;
  readonly token: () => string;
  readonly baseUrl: string;
  /** '' leaves workers.dev as it is. */
  readonly workersSubdomain: string;
};

export type Config = {
  readonly dataDir: string;
  readonly sharedDir: string | undefined;
  /** Undefined: a folder below the shared or the data folder. */
  readonly artifacts: S3Place | undefined;
  readonly host: string;
  readonly port: number;
  readonly trustProxy: boolean;
  readonly edge: {
    readonly host: string;
    readonly port: number;
    /** Undefined: no HTTPS. */
    readonly tlsPort: number | undefined;
    readonly baseDomain: string;
    readonly memoryMb: number;
  };
  /** Where a worker goes first when nobody says where. */
  readonly edgeProvider: 'workerd' | 'cloudflare';
  /** Undefined: none. The token is behind a function, so that it does not show when this is logged or serialised. */
  readonly cloudflare: CloudflareAccount | undefined;
  readonly roles: ReadonlySet<Role>;
  readonly eventStoreUrl: string | undefined;
  readonly eventStorePort: number;
  readonly databaseUrl: string | undefined;
  readonly databaseConnections: number;
  readonly nats: { readonly url: string; readonly stream: string; readonly subjects: string } | undefined;
  readonly workspaceCreation: 'operator' | 'anyone';
  readonly admin: { readonly email: string; readonly password: string | undefined };
  /** From the environment; their bytes do not show when this is logged or serialised. */
  readonly masterKeys: readonly MasterKey[];
  readonly logLevel: string;
  readonly requestsPerSecond: number;
  readonly workspaceRequestsPerSecond: number;
  readonly runnerConcurrency: number;
  readonly jobConcurrency: number;
  readonly retention: { readonly keepNewest: number; readonly keepDeployed: number };
  /** What tenants may reach from this installation beside https on public addresses. */
  readonly outbound: { readonly allow: readonly AddressRange[]; readonly allowHttp: boolean };
  /** `minutes` 0: never by itself. */
  readonly reconciling: { readonly minutes: number; readonly apply: boolean };
};

/** Parses the environment once. The answer of a bad one names every variable at fault and what it must be. */
export const readConfig = (
  env: Readonly<Record<string, string | undefined>>,
): { readonly ok: true; readonly config: Config } | { readonly ok: false; readonly problems: readonly string[] } => {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    return { ok: false, problems: parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) };
  }
  const problems = [...artifactProblems(parsed.data), ...cloudflareProblems(parsed.data)];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config: toConfig(parsed.data) };
};

const keyNames = ['OPSLOG_S3_ACCESS_KEY_ID', 'OPSLOG_S3_SECRET_ACCESS_KEY'] as const;

const artifactProblems = (env: z.infer<typeof environment>): readonly string[] =>
  env.OPSLOG_ARTIFACTS_URL === undefined
    ? []
    : keyNames.filter((name) => env[name] === undefined).map((name) => `${name}: OPSLOG_ARTIFACTS_URL needs it`);

const cloudflareProblems = (env: z.infer<typeof environment>): readonly string[] => {
  const wanted = env.OPSLOG_EDGE_PROVIDER === 'cloudflare' ? 'OPSLOG_EDGE_PROVIDER=cloudflare' : undefined;
  const { CLOUDFLARE_ACCOUNT_ID: account, CLOUDFLARE_API_TOKEN: token } = env;
  const whoNeeds = {
    CLOUDFLARE_ACCOUNT_ID: account === undefined ? (wanted ?? (token && 'CLOUDFLARE_API_TOKEN')) : undefined,
    CLOUDFLARE_API_TOKEN: token === undefined ? (wanted ?? (account && 'CLOUDFLARE_ACCOUNT_ID')) : undefined,
  };
  return Object.entries(whoNeeds).flatMap(([name, needing]) => (needing ? [`${name}: ${needing} needs it`] : []));
};

const cloudflareAccount = (env: z.infer<typeof environment>): CloudflareAccount | undefined => {
  const { CLOUDFLARE_ACCOUNT_ID: accountId, CLOUDFLARE_API_TOKEN: token } = env;
  if (accountId === undefined || token === undefined) return undefined;
  const { CLOUDFLARE_API_URL: baseUrl, OPSLOG_CLOUDFLARE_WORKERS_SUBDOMAIN: workersSubdomain = '' } = env;
  return { accountId, token: () => token, baseUrl, workersSubdomain };
};

const artifactPlace = (env: z.infer<typeof environment>): S3Place | undefined => {
  const { OPSLOG_ARTIFACTS_URL: address, OPSLOG_S3_ACCESS_KEY_ID: accessKeyId = '' } = env;
  const { OPSLOG_S3_SECRET_ACCESS_KEY: secretAccessKey = '' } = env;
  return address && { address, credentials: () => ({ accessKeyId, secretAccessKey }) };
};

const toConfig = (env: z.infer<typeof environment>): Config => ({
  dataDir: env.OPSLOG_DATA_DIR,
  sharedDir: env.OPSLOG_SHARED_DIR,
  artifacts: artifactPlace(env),
  host: env.OPSLOG_HOST,
  port: env.OPSLOG_PORT,
  trustProxy: env.OPSLOG_TRUST_PROXY === 'true',
  edge: {
    host: env.OPSLOG_EDGE_HOST,
    port: env.OPSLOG_EDGE_PORT,
    tlsPort: env.OPSLOG_EDGE_TLS_PORT,
    baseDomain: env.OPSLOG_EDGE_BASE_DOMAIN,
    memoryMb: env.OPSLOG_WORKER_MEMORY_MB,
  },
  edgeProvider: env.OPSLOG_EDGE_PROVIDER,
  cloudflare: cloudflareAccount(env),
  roles: new Set(env.OPSLOG_ROLES),
  eventStoreUrl: env.EVENTSTORE_URL,
  eventStorePort: env.OPSLOG_EVENTSTORE_PORT,
  databaseUrl: env.DATABASE_URL,
  databaseConnections: env.OPSLOG_DATABASE_CONNECTIONS,
  nats: env.NATS_URL
    ? { url: env.NATS_URL, stream: env.OPSLOG_NATS_STREAM, subjects: env.OPSLOG_NATS_SUBJECTS }
    : undefined,
  workspaceCreation: env.OPSLOG_WORKSPACE_CREATION,
  admin: { email: env.OPSLOG_ADMIN_EMAIL, password: env.OPSLOG_ADMIN_PASSWORD },
  masterKeys: env.OPSLOG_MASTER_KEYS ?? [],
  logLevel: env.OPSLOG_LOG_LEVEL,
  requestsPerSecond: env.OPSLOG_REQUESTS_PER_SECOND,
  workspaceRequestsPerSecond: env.OPSLOG_WORKSPACE_REQUESTS_PER_SECOND,
  runnerConcurrency: env.OPSLOG_RUNNER_CONCURRENCY,
  jobConcurrency: env.OPSLOG_JOB_CONCURRENCY,
  retention: { keepNewest: env.OPSLOG_RETENTION_REVISIONS, keepDeployed: env.OPSLOG_ROLLBACK_REVISIONS },
  outbound: { allow: env.OPSLOG_OUTBOUND_ALLOW ?? [], allowHttp: env.OPSLOG_OUTBOUND_HTTP === 'true' },
  reconciling: { minutes: env.OPSLOG_RECONCILE_MINUTES, apply: env.OPSLOG_RECONCILE_APPLY === 'true' },
});

/** Every variable with its meaning and default, for help texts and documentation. */
export const settings = (): readonly { readonly name: string; readonly about: string; readonly fallback: string }[] =>
  Object.entries(environment.shape).map(([name, schema]) => ({
    name,
    about: schema.description ?? '',
    fallback: name in defaults ? String(defaults[name]) : '',
  }));

const defaults: Readonly<Record<string, unknown>> = environment.parse({});
