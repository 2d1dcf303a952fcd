import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { expect } from 'vitest';
import { z } from 'zod';
import { createApi } from '../../src/api/app.ts';
import { type ApiLimits, apiLimits } from '../../src/api/deps.ts';
import { createFeedWatch } from '../../src/api/feedWatch.ts';
import * as invitationModels from '../../src/api/invitationModels.ts';
import type { Load } from '../../src/api/load.ts';
import * as models from '../../src/api/models.ts';
import { problemsOf } from '../../src/api/openApi.ts';
import type { Operation } from '../../src/api/operation.ts';
import { operations } from '../../src/api/operations.ts';
import { createRouteTable } from '../../src/api/routeTable.ts';
import { configureServer, type ServerLimits, serverLimits, serverOptions } from '../../src/api/server.ts';
import { type Aggregates, createAggregates } from '../../src/commands/aggregates.ts';
import {
  createRefusalRecorder,
  type RefusalLimits,
  type RefusalRecorder,
  refusalLimits,
} from '../../src/commands/controlAudit.ts';
import { decode, type Envelope } from '../../src/commands/envelope.ts';
import { seed } from '../../src/commands/seed.ts';
import { inProcesses } from '../../src/compose/past/openTables.ts';
import { type PastProcessLimits, pastProcessLimits } from '../../src/compose/past/process.ts';
import { openFolderStore } from '../../src/platform/artifacts/folderStore.ts';
import type { ArtifactStore } from '../../src/platform/artifacts/port.ts';
import { createBuilder } from '../../src/platform/builder/builder.ts';
import { readArchive } from '../../src/platform/builder/readArchive.ts';
import { readFiles } from '../../src/platform/builder/readFiles.ts';
import { systemClock } from '../../src/platform/clock/system.ts';
import { toCsv } from '../../src/platform/csv/stringify.ts';
import { classifyError } from '../../src/platform/database/errors.ts';
import type { Database } from '../../src/platform/database/port.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import { sealHead } from '../../src/platform/evidence/auditHead.ts';
import { temporaryBuildKey } from '../../src/platform/evidence/keys.ts';
import { createRequestObserver } from '../../src/platform/metrics/http.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { createPasswords } from '../../src/platform/password/argon2.ts';
import { createScheduleRules } from '../../src/platform/schedule/croner.ts';
import { createSshKeys } from '../../src/platform/ssh/keys.ts';
import type { Vault } from '../../src/platform/vault/port.ts';
import type { OpenTail, WorkerLogWriter } from '../../src/platform/workerLogs/port.ts';
import { createWorkerLogReader } from '../../src/platform/workerLogs/reader.ts';
import { createWorkerLogWriter } from '../../src/platform/workerLogs/writer.ts';
import { createTables, startProjector } from '../../src/projections/engine/index.ts';
import { createPast, type Past, type PastLimits } from '../../src/projections/past/past.ts';
import { createQueries, type Queries } from '../../src/projections/queries.ts';
import type { ReadTables } from '../../src/projections/schema.ts';
import { tables } from '../../src/projections/tables.ts';
import { type ApiCanaries, createApiCanaries } from './apiCanaries.ts';
import { startTestEventStore } from './eventStore.ts';
import { createMemoryVault } from './memoryVault.ts';
import type { StoredMessage, TestBus } from './nats.ts';
import { embedded } from './projection.ts';
import { startPublishing } from './publishing.ts';

export type Answered = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; `undefined` when there is none or it is not JSON. */
  readonly body: unknown;
};

export type Ask = {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
};

export type ApiWorld = {
  readonly url: string;
  /** What the API has in its hands. */
  load(): Load;
  /** Open ones, to the server of this world. */
  connections(): Promise<number>;
  readonly log: EventLog;
  /** Of the read tables. */
  readonly database: Database<ReadTables>;
  readonly aggregates: Aggregates;
  readonly artifacts: ArtifactStore;
  readonly scope: string;
  /** PEM of the key that signs here. */
  readonly publicKey: string;
  /** What was published of all that is in the log; throws in a world without a bus. */
  published(): Promise<readonly StoredMessage[]>;
  /** Where a node would keep what its workers write. */
  readonly workerLogs: WorkerLogWriter;
  readonly administrator: { readonly email: string; readonly password: string; readonly userId: string };
  /** Lines that the API and the projector logged, as text. */
  readonly logged: readonly string[];
  /** Those among them that say that something is wrong with the program or what it stands on. */
  readonly loggedErrors: readonly string[];
  /** Any request; whatever is answered must fit what the OpenAPI document says of the operation. */
  ask(method: string, path: string, options?: Ask): Promise<Answered>;
  /** From now on the API's clock is this many milliseconds ahead. */
  travel(ms: number): void;
  /** Signs the administrator in. */
  signIn(): Promise<string>;
  /** Events in the log and artifacts in the store. */
  holdings(): Promise<{ readonly events: number; readonly artifacts: number }>;
  /** The same installation behind another server, with other limits or with something between it and the log. */
  behind(options: ApiOptions): Promise<ApiWorld>;
  /** Carries the deployment out as a runner would, every step done. */
  carryOut(workerId: string, ticketId: string): Promise<void>;
  /** Fails when a secret that was sent or told is anywhere where it may not be. */
  stop(): Promise<void>;
};

/** What was answered so far, over all requests: `<operation> <status>` and the titles of problems. */
const answersSeen = new Set<string>();
export const answersSoFar = (): ReadonlySet<string> => answersSeen;

/** Answered before it is known what is asked. */
const ofNoOperation = ['RouteNotFound', 'MethodNotAllowed', 'HeadersTooLarge', 'UrlTooLong', 'RateExceeded'] as const;

const problemSchema = models.problem;
const match = createRouteTable(operations);

const operationOf = (method: string, path: string): Operation | undefined => {
  const found = match(method, path.split('?', 1)[0] ?? '');
  return found.found === 'route' ? found.route : undefined;
};

/** An answer must be one that the operation declares: a problem with its code, a dry run, or the success schema. */
const checkAnswer = (operation: Operation | undefined, answered: Answered): void => {
  const type = answered.headers.get('content-type') ?? '';
  expect(answered.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9][A-Za-z0-9._:+/=@-]{7,127}$/);
  if (type === 'application/problem+json') {
    const problem = problemSchema.parse(answered.body);
    expect(problem.status).toBe(answered.status);
    expect(problem.type).toBe(`/problems/${problem.title}`);
    answersSeen.add(problem.title);
    const announced: readonly string[] = operation ? problemsOf(operation) : [...ofNoOperation];
    expect({ operation: operation?.id, announced }).toMatchObject({
      announced: expect.arrayContaining([problem.title]),
    });
    return;
  }
  if (!operation) return;
  answersSeen.add(`${operation.id} ${answered.status}`);
  if (answered.headers.has('preference-applied')) models.dryRun.parse(answered.body);
  else if (answered.status === 204) expect(answered.text).toBe('');
  else if (operation.success.mediaType === undefined) operation.success.schema.parse(answered.body);
};

const parse = (text: string, type: string): unknown =>
  /[/+]json/.test(type) && text !== '' ? JSON.parse(text) : undefined;

/** Whatever was sent byte by byte, when it is JSON. */
const jsonIn = (bytes: Uint8Array | undefined): unknown => {
  try {
    return bytes && JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
};

const plenty = { perSecond: 10_000, burst: 100_000 };

export type ApiOptions = {
  readonly limits?: Partial<ApiLimits>;
  readonly server?: Partial<ServerLimits>;
  /** Stands between the API and its log, to lose answers or refuse appends. */
  readonly aroundLog?: (log: EventLog) => EventLog;
  readonly aroundQueries?: (queries: Queries) => Queries;
  readonly aroundArtifacts?: (artifacts: ArtifactStore) => ArtifactStore;
  /** The read tables reach no position. */
  readonly stuck?: boolean;
  /** No lines of workers are kept. */
  readonly withoutLogs?: boolean;
  readonly pastLimits?: Partial<PastLimits>;
  readonly pastProcess?: Partial<PastProcessLimits>;
  /** Where what is replayed is read; the log of this world when not given. */
  readonly pastLog?: string;
  readonly openTail?: OpenTail;
  readonly streamsEnding?: AbortSignal;
  readonly trustForwarded?: boolean;
  readonly mayCreateWorkspace?: (userId: string) => boolean;
  /** Where workers can run; on this machine when not given. */
  readonly provider?: 'workerd' | 'cloudflare';
  /** Stands between the log and the read tables. */
  readonly beforeTables?: (log: EventLog) => EventLog;
  /** In place of one that is kept in memory. */
  readonly vault?: Vault;
  /** How many refused actions are written down one by one. */
  readonly refusals?: Partial<RefusalLimits>;
  /** Told how many refused actions could not be written down. */
  readonly onLost?: (count: number) => void;
  /** Whatever is in the log is published on it; it ends with the world. */
  readonly bus?: TestBus | undefined;
};

export const startApi = async (options: ApiOptions = {}): Promise<ApiWorld> => {
  const store = await startTestEventStore();
  const { log } = store;
  const { database, drop } = await (await embedded()).create<ReadTables>();
  await createTables(database, tables);
  const stopping = new AbortController();
  const logged: string[] = [];
  const line = (fields: object, message: string) => logged.push(`${JSON.stringify(fields, withErrors)} ${message}`);
  const loggedErrors: string[] = [];
  const fault = (fields: object, message: string) => {
    loggedErrors.push(`${JSON.stringify(fields, withErrors)} ${message}`);
    line(fields, message);
  };
  const logger = { debug: line, info: line, warn: line, error: fault };
  const canaries = createApiCanaries();
  const publishing = options.bus && startPublishing(options.bus, log, logger);
  const queries = createQueries(database);
  const feed = createFeedWatch(queries);
  const projector = startProjector({
    ...{ log: options.beforeTables?.(log) ?? log, database, tables, decode, logger, signal: stopping.signal },
    onCommitted: feed.changed,
  });
  const folder = await mkdtemp(join(tmpdir(), 'opslog-api-'));
  const artifacts = await openFolderStore(folder);
  const aggregates = createAggregates({ log, now: Date.now });
  const passwords = createPasswords();
  const secretKey = randomBytes(32);
  const vault = options.vault ?? createMemoryVault();
  const outbound = createOutbound({ clock: systemClock, allow: [], allowHttp: false });
  const buildKey = temporaryBuildKey();
  const builder = createBuilder({ signer: buildKey, builderVersion: 'test' });
  const registry = new Registry();
  const observe = createRequestObserver(registry);
  const scope = `onprem:${randomBytes(6).toString('hex')}`;
  const counted = { events: 0, position: 0n };
  let ahead = 0;

  const logFolder = join(folder, 'worker-logs');
  const workerLogs = createWorkerLogWriter({ folder: logFolder, nodeId: randomUUID(), log: logger });
  const logReader = createWorkerLogReader({ folder: logFolder, clock: systemClock, pollMs: 10 });
  const recorders: RefusalRecorder[] = [];
  const looking: Past[] = [];
  const serve = async ({
    limits,
    aroundLog,
    aroundQueries,
    aroundArtifacts,
    stuck = false,
    trustForwarded = false,
    mayCreateWorkspace = () => true,
    provider = 'workerd',
    onLost = () => {},
    refusals: written,
    withoutLogs = false,
    pastLimits,
    pastProcess,
    pastLog,
    openTail,
    streamsEnding,
    server,
  }: ApiOptions): Promise<Door> => {
    const ownLog = aroundLog?.(log) ?? log;
    const own = aroundLog ? createAggregates({ log: ownLog, now: Date.now }) : aggregates;
    const schedules = createScheduleRules();
    const refusals = createRefusalRecorder({
      ...{ controlAudit: own.controlAudit, clock: systemClock, uuid: randomUUID, onLost },
      ...{ logger, limits: { ...refusalLimits, ...written } },
    });
    recorders.push(refusals);
    const past = createPast({
      queries,
      openTables: inProcesses({
        ...{ eventStoreUrl: pastLog ?? store.connectionString, shape: queries },
        limits: { ...pastProcessLimits, ...pastProcess },
        onStarted: (pid) => line({ pid }, 'began to look back'),
      }),
      ...(pastLimits && { limits: pastLimits }),
      onReplayed: (what) => line(what, 'replayed'),
    });
    looking.push(past);
    let readLoad: (() => Load) | undefined;
    const api = createApi({
      ...{ version: 'test', aggregates: own, log: ownLog, builder, passwords, secretKey, vault, mayCreateWorkspace },
      outbound,
      sshKeys: createSshKeys(),
      artifacts: aroundArtifacts?.(artifacts) ?? artifacts,
      past,
      queries: aroundQueries?.(queries) ?? queries,
      isUnavailable: (error) => classifyError(error) === 'unavailable',
      waitFor: async (position, wait) =>
        !stuck && (await projector.waitFor(position, wait)) === 'reached' ? 'reached' : 'timeout',
      schedules,
      reader: { schedules, readFiles: (files) => readFiles(files), readArchive: (bytes) => readArchive(bytes) },
      edge: {
        places: [{ provider, scope, steps: ['upload', 'start', 'route'] }],
        maxAttempts: 5,
        url: (scriptName) => `http://${scriptName}.localhost:8787/`,
      },
      clock: { now: () => Date.now() + ahead },
      random: { uuid: randomUUID, bytes: (count) => randomBytes(count) },
      feed,
      signHead: (head) => sealHead(head, buildKey),
      csv: toCsv,
      ...(!withoutLogs && { workerLogs: logReader }),
      ...(openTail && { openTail }),
      ...(streamsEnding && { streamsEnding }),
      logger,
      metrics: registry,
      observe,
      showLoad: (read) => {
        readLoad = read;
      },
      refusals,
      readiness: async () => ({ ready: true, checks: [{ name: 'log', ok: true }], lag: { events: 0, ms: 0 } }),
      trustForwarded,
      limits: {
        ...apiLimits,
        perToken: plenty,
        perWorkspace: plenty,
        perAddress: plenty,
        signIn: plenty,
        signInPerEmail: plenty,
        passwordChange: plenty,
        ...limits,
      },
    });
    const given = { ...serverLimits, ...server };
    const listening = createServer(serverOptions(given), api);
    configureServer(listening, { behindProxy: trustForwarded, limits: given });
    const load = () => {
      if (!readLoad) throw new Error('The API did not say how to ask.');
      return readLoad();
    };
    return { url: await listen(listening), close: () => close(listening), load, connections: () => countOf(listening) };
  };
  const password = `pw-${randomBytes(12).toString('hex')}`;
  const email = 'admin@example.com';
  canaries.add(password, 'the password of the administrator');
  const seeded = await seed({ aggregates, passwords, secretKey, clock: systemClock, scope }, { email, password });

  const worldBehind = ({ url, close, load, connections }: Door, stop: () => Promise<void>): ApiWorld => {
    const ask = askAt(url, canaries);
    return {
      ...{ url, load, connections, log, database, aggregates, artifacts, scope },
      ...{ logged, loggedErrors, ask, workerLogs },
      published: async () => {
        if (!publishing) throw new Error('This world has no bus.');
        return publishing.stored();
      },
      publicKey: buildKey.publicKey,
      administrator: { email, password, userId: seeded.userId },
      signIn: async () => {
        const { body } = await ask('POST', '/auth/sessions', { body: { email, password } });
        return models.openedSession.parse(body).token;
      },
      travel: (ms) => {
        ahead = ms;
      },
      holdings: async () => {
        for await (const event of log.readAll({ after: counted.position })) {
          // What was refused is noted on the side; here is what came of requests.
          if (!event.stream.startsWith('controlAudit-') && event.type !== 'ApiTokenUsed') counted.events += 1;
          counted.position = event.position;
        }
        let stored = 0;
        for await (const _artifact of artifacts.list()) stored += 1;
        return { events: counted.events, artifacts: stored };
      },
      behind: async (other) => worldBehind(await serve(other), async () => {}),
      carryOut: (workerId, ticketId) => carryOut(aggregates, workerId, ticketId),
      stop: async () => {
        await close();
        await stop();
      },
    };
  };
  return worldBehind(await serve(options), async () => {
    builder.close();
    for (const recorder of recorders) await recorder.close();
    for (const past of looking) await past.close();
    await projector.waitFor(await log.head(), { timeoutMs: 20_000 });
    stopping.abort();
    await projector.done;
    const metrics = () => registry.metrics();
    const messages = async () => (await publishing?.stored()) ?? [];
    await canaries.check({ log, database, logged, metrics, messages }).finally(async () => {
      await publishing?.stop();
      await options.bus?.stop();
      await drop();
      await store.stop();
      await rm(folder, { recursive: true, force: true });
    });
  });
};

type Door = Pick<ApiWorld, 'url' | 'load' | 'connections'> & { close(): Promise<void> };

const countOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

const askAt =
  (url: string, canaries: ApiCanaries): ApiWorld['ask'] =>
  async (method, path, { token, body, bytes, headers } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(bytes !== undefined && { body: new Uint8Array(bytes) }),
    });
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    const answered = { status: response.status, headers: response.headers, text, body: parse(text, type) };
    const operation = operationOf(method, path);
    const exchange = { operationId: operation?.id ?? 'nothing', token, body: body ?? jsonIn(bytes) };
    canaries.note({ ...exchange, status: response.status, headers: response.headers, text, answer: answered.body });
    if (method !== 'HEAD') checkAnswer(operation, answered);
    return answered;
  };

const withErrors = (_key: string, value: unknown): unknown =>
  value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value;

const listen = (server: Server): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
    });
  });

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

const carryOut = async (aggregates: Aggregates, workerId: string, ticketId: string): Promise<void> => {
  const { state } = await aggregates.edgeWorker.load(workerId);
  if (state.status === 'absent') throw new Error('There is no such worker.');
  const acting = () => runner(state.companyId, state.departmentId);
  const now = Date.now();
  const leaseId = randomUUID();
  const lease = { ticketId, leaseId, holder: 'test', now, leasedUntil: now + 60_000, takeover: false };
  expect(await aggregates.edgeWorker.send(workerId, { type: 'LeaseDeployment', data: lease }, acting())).toMatchObject({
    ok: true,
  });
  for (const step of state.ticket?.steps ?? []) {
    const outcome = { outcome: 'done', detail: '' } as const;
    const report = {
      ticketId,
      leaseId,
      step,
      outcome,
      startedAt: now,
      durationMs: 1,
      mode: 'perform' as const,
      facts: {},
      url: 'http://worker.localhost/',
    };
    expect(
      await aggregates.edgeWorker.send(workerId, { type: 'ReportDeploymentStep', data: report }, acting()),
    ).toMatchObject({ ok: true });
  }
};

const runner = (workspaceId: string, departmentId: string): Envelope => ({
  commandId: randomUUID(),
  commandDigest: '',
  actor: { kind: 'system', id: 'runner' },
  authMethod: 'system',
  workspaceId,
  departmentId,
  requestId: '',
  correlationId: '',
  causationId: '',
});

/** A company with one department, its owner signed in. */
export type Company = {
  readonly token: string;
  readonly workspaceId: string;
  readonly departmentId: string;
  readonly base: string;
  readonly worker: string;
};

let companies = 0;

export const aCompany = async (world: ApiWorld, token?: string): Promise<Company> => {
  companies += 1;
  const owner = token ?? (await world.signIn());
  const slug = `company-${companies}`;
  const created = await world.ask('POST', '/workspaces', {
    token: owner,
    body: { name: `Company ${companies}`, slug },
  });
  const workspaceId = models.workspace.parse(created.body).id;
  const department = await world.ask('POST', `/workspaces/${workspaceId}/departments`, {
    token: owner,
    body: { name: 'Payments', slug: 'payments' },
  });
  const departmentId = models.department.parse(department.body).id;
  const base = `/workspaces/${workspaceId}`;
  return { token: owner, workspaceId, departmentId, base, worker: `${base}/departments/${departmentId}/worker` };
};

export const anInvitation = async (world: ApiWorld, company: Company, body: object) => {
  const invited = await world.ask('POST', `${company.base}/invitations`, { token: company.token, body });
  return invitationModels.issuedInvitation.parse(invited.body);
};

/** Somebody with a role in the company, signed in: invited, and come. */
export const aMember = async (
  world: ApiWorld,
  company: Company,
  rights: { readonly role: string; readonly departmentIds?: readonly string[] },
): Promise<{
  readonly token: string;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
}> => {
  const email = `${randomUUID()}@example.com`;
  const { token: invitation } = await anInvitation(world, company, { email, ...rights });
  const password = `pw-${randomUUID()}`;
  const registered = await world.ask('POST', '/auth/invitations/register', {
    body: { token: invitation, displayName: 'A member', password },
  });
  const { userId } = invitationModels.joined.parse(registered.body);
  const signedIn = await world.ask('POST', '/auth/sessions', { body: { email, password } });
  return { token: models.openedSession.parse(signedIn.body).token, userId, email, password };
};

/** A token of the whole workspace; answers its id. */
export const aCredential = async (world: ApiWorld, { base, token }: Company): Promise<string> => {
  const value = { kind: 'apiToken', provider: 'cloudflare', token: 'anything' };
  const created = await world.ask('POST', `${base}/credentials`, { token, body: { name: 'a token', value } });
  return z.object({ id: z.string() }).parse(created.body).id;
};

export const helloWorker = (text = 'hello') => ({
  files: [
    {
      path: 'src/index.ts',
      content: `import { greet } from './greet';\nexport default { fetch: () => new Response(greet()) };\n`,
    },
    { path: 'src/greet.ts', content: `export const greet = (): string => ${JSON.stringify(text)};\n` },
  ],
});

export const submitted = z.object({ revision: z.number(), workerId: z.string() });
export const admitted = z.object({ ticketId: z.string() });

/** Submits and deploys, all the way. */
export const aLiveWorker = async (world: ApiWorld, company: Company, text?: string) => {
  const { token, worker } = company;
  const submission = await world.ask('POST', `${worker}/revisions`, { token, body: helloWorker(text) });
  const { revision, workerId } = submitted.parse(submission.body);
  const deployment = await world.ask('POST', `${worker}/deployments`, { token, body: { revision } });
  const { ticketId } = admitted.parse(deployment.body);
  await world.carryOut(workerId, ticketId);
  return { workerId, ticketId, revision };
};

/** `given(world).when(request).then({ status: 201 })`, in the words of the other layers. */
export const problemOf = ({ body }: Answered) => problemSchema.parse(body);
