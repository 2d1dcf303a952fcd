import { createHash, randomUUID } from 'node:crypto';
import { createAggregates } from '../../src/commands/aggregates.ts';
import { admitDeployment } from '../../src/commands/deployment.ts';
import { putEdgeSecret, removeEdgeSecret } from '../../src/commands/edgeSecret.ts';
import { submitRevision } from '../../src/commands/edgeWorker.ts';
import { type Envelope, sha256 } from '../../src/commands/envelope.ts';
import { edgeSecretId, edgeWorkerId } from '../../src/domain/identifiers.ts';
import { readFiles } from '../../src/platform/builder/readFiles.ts';
import { systemClock, systemRandom } from '../../src/platform/clock/system.ts';
import type { StepOutcome, WorkerSpec } from '../../src/platform/edge/port.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { createScheduleRules } from '../../src/platform/schedule/croner.ts';
import type { Vault } from '../../src/platform/vault/port.ts';
import { carryOutDeployment } from '../../src/sagas/carryOutDeployment.ts';
import { createSecretReader } from '../../src/sagas/readSecrets.ts';
import { createMemoryLog } from './memoryLog.ts';
import { createScriptedProvider } from './scriptedProvider.ts';
import { watchLog } from './watched.ts';

const scope = 'onprem:000000000001';
const steps = ['start', 'switch'] as const;
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** One department with its secrets and its worker, over a log in memory; what runs is what the reader gave it. */
export const startSecretWorld = (vault: Vault) => {
  const log = createMemoryLog();
  const watch = watchLog(log);
  const aggregates = createAggregates({ log, now: Date.now });
  const tenant = { workspaceId: randomUUID(), departmentId: randomUUID() };
  const { departmentId } = tenant;
  const workerId = edgeWorkerId(sha256, departmentId);
  const read = createSecretReader({ log, vault });
  const provider = createScriptedProvider(steps);
  let seen: Readonly<Record<string, string>> = {};
  const start = async (spec: WorkerSpec): Promise<StepOutcome> => {
    const opened = await read(spec);
    if (!opened.ok) return { outcome: 'refused', code: opened.code, detail: opened.detail };
    seen = opened.values;
    return { outcome: 'done', detail: 'started' };
  };
  const envelope = (more: Partial<Envelope> = {}): Envelope => ({
    ...{ commandId: randomUUID(), commandDigest: '', actor: { kind: 'user', id: 'user-1' }, authMethod: 'session' },
    ...{ ...tenant, requestId: 'r1', correlationId: 'c1', causationId: '', ...more },
  });
  const registered = aggregates.edgeMaintenance.send(scope, { type: 'RegisterEdgeScope', data: {} }, envelope());
  const deps = { aggregates, vault };
  const submit = (secretNames: readonly string[], request = envelope()) => {
    const text = `export default ${JSON.stringify(request.commandId)};`;
    const bytes = Buffer.from(text);
    const built = {
      ...{ source: bytes, sourceDigest: digestOf(text), bundle: bytes, bundleDigest: digestOf(text) },
      ...{ sbom: '{}', sbomDigest: digestOf('{}'), buildReceipt: '{}', warnings: [] },
    };
    return submitRevision(
      {
        ...{ aggregates, clock: { now: () => 1_000 }, log: silentLog, builder: { build: async () => built } },
        reader: {
          schedules: createScheduleRules(),
          readFiles: (files) => readFiles(files),
          readArchive: async () => [],
        },
        artifacts: {
          put: async (content) => ({ digest: digestOf(Buffer.from(content).toString()), created: true }),
          get: async () => undefined,
          has: async () => false,
          remove: async () => false,
          list: async function* () {},
        },
      },
      tenant,
      {
        source: { kind: 'files', files: [{ path: 'index.ts', content: text }] },
        settings: { secretNames: [...secretNames] },
      },
      request,
    );
  };
  const admit = async (revision: number, request = envelope()) => {
    await registered;
    const edge = { places: [{ provider: 'workerd', scope, steps }], maxAttempts: 3 } as const;
    return admitDeployment({ aggregates, edge }, departmentId, { kind: 'deploy', revision }, request);
  };
  const carryOut = (ticketId: string) =>
    carryOutDeployment(
      {
        ...{ workers: aggregates.edgeWorker, clock: systemClock, random: systemRandom, holder: 'node/1' },
        providerOf: () => ({
          ...provider,
          perform: (step, spec) =>
            step === 'start' ? start(spec) : Promise.resolve({ outcome: 'done', detail: 'on the air' }),
        }),
        ...{ leaseMs: 60_000, stepTimeoutMs: 60_000 },
      },
      {
        ...{ ticketId, workerId, takeover: false },
        context: { ...tenant, requestId: 'r1', correlationId: 'c1', causationId: 'e1' },
      },
      new AbortController().signal,
    );
  return {
    ...{ log, aggregates, tenant, workerId, read, submit, admit, carryOut },
    put: (name: string, value: string, request = envelope()) => {
      watch(value, 'the value of a secret');
      return putEdgeSecret(deps, tenant, { name, value }, request);
    },
    remove: (name: string, force = false, request = envelope()) =>
      removeEdgeSecret(deps, tenant, { name, force }, request),
    /** Deploys all the way; answers what became of it. */
    deploy: async (revision: number): Promise<string> => {
      const admitted = await admit(revision);
      return admitted.ok ? carryOut(admitted.value.ticketId) : admitted.rejection.rejected;
    },
    /** What the process on the air found in its environment. */
    seen: () => seen,
    secretId: (name: string) => edgeSecretId(sha256, departmentId, name),
    worker: async () => (await aggregates.edgeWorker.load(workerId)).state,
    types: () => log.events.map(({ type }) => type),
  };
};

export type SecretWorld = ReturnType<typeof startSecretWorld>;
