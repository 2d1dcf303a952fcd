import { createHash } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { createAggregate } from '../../../../src/commands/send.ts';
import type { SubmitRevision } from '../../../../src/domain/edgeWorker/commands.ts';
import type { EdgeWorkerCommand, EdgeWorkerEvent } from '../../../../src/domain/edgeWorker/index.ts';
import { edgeWorker } from '../../../../src/domain/edgeWorker/index.ts';
import { createCloudflareProvider } from '../../../../src/platform/edge/cloudflare/index.ts';
import type { DomainSpec, EdgeProvider, StepOutcome, WorkerSpec } from '../../../../src/platform/edge/port.ts';
import type { SecretReader } from '../../../../src/platform/edge/secretReader.ts';
import { silentLog } from '../../../../src/platform/log/port.ts';
import { carryOutDeployment } from '../../../../src/sagas/carryOutDeployment.ts';
import { specOf } from '../../../../src/sagas/deployment.ts';
import { systemEnvelope } from '../../../../src/sagas/envelope.ts';
import type { CloudflareOptions } from '../../../support/cloudflare/options.ts';
import { startCloudflare } from '../../../support/cloudflare/server.ts';
import * as a from '../../../support/edgeWorkerFacts.ts';
import { createMemoryLog } from '../../../support/memoryLog.ts';
import { createTestClock } from './clock.ts';

export const never = new AbortController().signal;
export const scriptName = a.scriptName;
export const requestTimeoutMs = 20_000;
const workerId = 'worker-1';
const context = {
  workspaceId: a.companyId,
  departmentId: a.departmentId,
  requestId: 'r1',
  correlationId: 'c1',
  causationId: 'e1',
};

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export const moduleOf = (text: string): string => `export default { fetch: () => new Response('${text}') };\n`;

export type WorldOptions = CloudflareOptions & {
  readonly workersSubdomain?: string;
  readonly secretValues?: SecretReader;
  readonly requestBudget?: number;
  /** Between the provider and the server. */
  readonly baseUrl?: string;
  readonly others?: readonly EdgeProvider[];
};

/** What of a revision a test may want otherwise. */
export type Content = Partial<
  Pick<
    SubmitRevision['data'],
    'variables' | 'secrets' | 'schedules' | 'compatibilityDate' | 'compatibilityFlags' | 'bundleDigest'
  >
> & { readonly module?: string };

/** One worker in a log of its own, one Cloudflare, and the runner's way of carrying out a ticket between them. */
export const createWorld = async (options: WorldOptions = {}) => {
  const clock = createTestClock();
  const cloudflare = await startCloudflare({ zones: [{ name: 'example.com' }], now: clock.now, ...options });
  onTestFinished(() => cloudflare.close());
  const bundles = new Map<string, Uint8Array>();
  const secrets = new Map<string, string>();
  const log = createMemoryLog(clock.now);
  const workers = createAggregate(edgeWorker, { log, now: clock.now });
  const logged: string[] = [];
  const provider = createCloudflareProvider({
    ...{
      accountId: cloudflare.accountId,
      token: () => cloudflare.token,
      baseUrl: options.baseUrl ?? cloudflare.baseUrl,
    },
    artifacts: { get: async (digest) => bundles.get(digest) },
    secretValues:
      options.secretValues ??
      (async (spec) => ({
        ok: true,
        values: Object.fromEntries(
          spec.secrets.map(({ name, version }) => [name, secrets.get(`${name}@${version}`) ?? '']),
        ),
      })),
    ...{ clock, requestTimeoutMs, workersSubdomain: options.workersSubdomain ?? '' },
    log: { ...silentLog, error: (fields, message) => void logged.push(`${message} ${JSON.stringify(fields)}`) },
    ...(options.requestBudget !== undefined && { requestBudget: options.requestBudget }),
  });
  const providers = [provider, ...(options.others ?? [])];
  let ids = 0;
  const random = { uuid: () => `lease-${++ids}`, bytes: () => new Uint8Array(), fraction: () => 1 };

  const tell = async (key: string, command: EdgeWorkerCommand): Promise<void> => {
    const sent = await workers.send(workerId, command, systemEnvelope('test', context, key));
    if (!sent.ok) throw new Error(sent.rejection.rejected);
  };

  let revisions = 0;
  const submit = async ({ module, ...content }: Content = {}): Promise<number> => {
    revisions += 1;
    const text = module ?? moduleOf(`revision ${revisions}`);
    bundles.set(digestOf(text), Buffer.from(text));
    const { data } = a.submit(revisions);
    await tell(`submit ${revisions}`, {
      type: 'SubmitRevision',
      data: { ...data, bundleDigest: digestOf(text), ...content },
    });
    return revisions;
  };

  const admit = (ticketId: string, revision: number, kind: 'deploy' | 'rollback' = 'deploy', place = provider) => {
    const { data } = a.admit(ticketId, revision, kind);
    const { scope, steps } = place;
    return tell(`admit ${ticketId}`, {
      type: 'AdmitDeployment',
      data: { ...data, provider: place.kind, scope, steps, maxAttempts: 8 },
    });
  };

  /** One lease: as far as it goes now. */
  const attempt = (ticketId: string, signal = never) =>
    carryOutDeployment(
      {
        ...{ workers, clock, random, holder: `node/${random.uuid()}`, leaseMs: 900_000, stepTimeoutMs: 120_000 },
        providerOf: (kind) => providers.find((each) => each.kind === kind),
      },
      { ticketId, workerId, context, takeover: true },
      signal,
    );

  /** Lease after lease, each as soon as it is due, until the ticket has settled. */
  const settle = async (ticketId: string): Promise<string> => {
    for (let leases = 1; leases <= 30; leases += 1) {
      const status = await attempt(ticketId);
      if (status !== 'pending' && status !== 'uncertain') return status;
      clock.advance(60_000);
    }
    return 'has not settled';
  };

  const deploy = async (ticketId: string, content?: Content): Promise<string> => {
    const revision = await submit(content);
    await admit(ticketId, revision);
    return settle(ticketId);
  };

  const state = async () => {
    const loaded = (await workers.load(workerId)).state;
    if (loaded.status === 'absent') throw new Error('There is no worker.');
    return loaded;
  };

  const spec = async (revision: number): Promise<WorkerSpec> => {
    const worker = await state();
    const found = worker.revisions.find((each) => each.revision === revision);
    if (!found) throw new Error(`There is no revision ${revision}.`);
    return specOf(workerId, worker, found);
  };

  const present = async (revision: number, paused: boolean, ticketId = 'job-1'): Promise<StepOutcome> =>
    provider.present(await spec(revision), paused, { ticketId, attempt: 1 }, never);

  /** What was recorded of each step of a ticket, in order. */
  const recorded = (ticketId: string) =>
    log.events.flatMap(({ type, data }) =>
      type === 'DeploymentStepRecorded' && data['ticketId'] === ticketId
        ? [{ step: String(data['step']), outcome: String(data['outcome']), mode: String(data['mode']), data }]
        : [],
    );

  /** Why a ticket failed. */
  const reasonOf = (ticketId: string): string =>
    log.events
      .filter(({ type, data }) => type === 'DeploymentFailed' && data['ticketId'] === ticketId)
      .map(({ data }) => String(data['reasonCode']))
      .join();

  const domain = (hostname: string, adopt = false): DomainSpec => ({
    hostname,
    scriptName,
    adopt,
    domainId: 'domain-1',
  });
  const asked = (step: string): number => cloudflare.requests.filter((request) => request.step === step).length;

  return {
    ...{ clock, cloudflare, provider, log, logged, secrets, bundles },
    ...{ tell, submit, admit, attempt, settle, deploy, state, spec, present, recorded, reasonOf, domain, asked },
  };
};

export type World = Awaited<ReturnType<typeof createWorld>>;
export type { EdgeWorkerEvent };

/** A promise that the test settles. */
export const gate = () => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
};
