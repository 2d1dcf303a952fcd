import { randomUUID } from 'node:crypto';
import { createAggregates } from '../../src/commands/aggregates.ts';
import { attachDomain, detachDomain } from '../../src/commands/edgeDomain.ts';
import { decode, type Envelope, sha256 } from '../../src/commands/envelope.ts';
import { edgeDomainId, edgeWorkerId, scriptNameOf } from '../../src/domain/identifiers.ts';
import type { DomainSpec, EdgeProvider, StepOutcome } from '../../src/platform/edge/port.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import { edgeDomainJobs } from '../../src/sagas/edgeDomainJobs.ts';
import { destroyReplacedCertificates, detachDomainsOfGoneWorkers, workOnDomains } from '../../src/sagas/edgeDomains.ts';
import { systemEnvelope } from '../../src/sagas/envelope.ts';
import { carryOutJob } from '../../src/sagas/jobs/carryOutJob.ts';
import { deployed } from './edgeWorkerFacts.ts';
import { createMemoryLog, type MemoryLog } from './memoryLog.ts';
import { createMemoryVault } from './memoryVault.ts';
import { createScriptedProvider, type ScriptedProvider } from './scriptedProvider.ts';
import { watchLog } from './watched.ts';

export const base = 'edge.example.com';

export const anEnvelope = (tenant: Tenant): Envelope => ({
  ...{ commandId: randomUUID(), commandDigest: '', actor: { kind: 'user', id: 'user-1' }, authMethod: 'session' },
  ...{ ...tenant, requestId: 'request-1', correlationId: 'correlation-1', causationId: '' },
});

export type Tenant = { readonly workspaceId: string; readonly departmentId: string };

/** Names as they are at the provider: what was made there, by whom, and how often. */
export type Outside = Map<string, { readonly scriptName: string; readonly by: string }>;

/** A provider that looks before it makes anything, over a world that outlives the process. */
const providerOn = (outside: Outside, made: string[], scripted: ScriptedProvider): EdgeProvider => ({
  ...scripted,
  attachDomain: async (domain, signal) => {
    const scriptedOutcome = await scripted.attachDomain(domain, signal);
    if (scriptedOutcome.outcome !== 'done') return scriptedOutcome;
    const { hostname, scriptName, adopt, domainId } = domain;
    const found = outside.get(hostname);
    if (found?.by === domainId) return { outcome: 'done', detail: 'there already', facts: { id: hostname } };
    if (found && !adopt) {
      const detail = `${hostname} leads to ${found.scriptName}`;
      return { outcome: 'refused', code: 'domain_conflict', detail, facts: { owner: found.scriptName } };
    }
    outside.set(hostname, { scriptName, by: domainId });
    made.push(`attach ${hostname}`);
    return { outcome: 'done', detail: 'made', facts: { id: hostname } };
  },
  detachDomain: async (domain: DomainSpec, signal): Promise<StepOutcome> => {
    const scriptedOutcome = await scripted.detachDomain(domain, signal);
    if (scriptedOutcome.outcome !== 'done') return scriptedOutcome;
    if (outside.get(domain.hostname)?.by === domain.domainId) {
      outside.delete(domain.hostname);
      made.push(`detach ${domain.hostname}`);
    }
    return { outcome: 'done', detail: 'gone' };
  },
});

/** An installation without its machinery: `settle` does what reactors and runner would, until nothing is left to do. */
export const startDomainWorld = () => {
  const log = createMemoryLog();
  const outside: Outside = new Map();
  const made: string[] = [];
  const scripted = createScriptedProvider(['switch']);
  const provider = providerOn(outside, made, scripted);
  const vault = createMemoryVault();
  let now = Date.now();
  const open = (over: EventLog) => createAggregates({ log: over, now: () => now });
  const aggregates = open(log);

  /** A department whose worker runs. */
  const worker = (workspaceId: string, departmentId: string): Tenant => {
    const workerId = edgeWorkerId(sha256, departmentId);
    const scriptName = scriptNameOf(sha256, workspaceId, departmentId);
    const context = { workspaceId, departmentId };
    const data = { companyId: workspaceId, departmentId, scriptName };
    log.add(`department-${departmentId}`, 'DepartmentCreated', { workspaceId, name: departmentId, slug: departmentId });
    log.add(`edgeWorker-${workerId}`, 'EdgeWorkerCreated', data, context);
    for (const { type, data } of deployed(`ticket-${departmentId}`, 1, 1)) {
      log.add(`edgeWorker-${workerId}`, type, data, context);
    }
    return { workspaceId, departmentId };
  };

  const runOnce = async (over: EventLog, stop: AbortSignal): Promise<boolean> => {
    const own = open(over);
    const reactors = [
      workOnDomains({ aggregates: own }),
      detachDomainsOfGoneWorkers({
        aggregates: own,
        domainsOfWorker: async ({ workerId }) => domainsOf(log, workerId),
      }),
      destroyReplacedCertificates({ vault }),
    ];
    const before = log.events.length;
    for (const stored of [...log.events]) {
      const event = decode(stored);
      if (event) for (const reactor of reactors) await reactor.react(event);
    }
    const kinds = edgeDomainJobs({ aggregates: own, provider });
    const clock = { now: () => now, sleep: sleepUntilAborted };
    const random = { uuid: randomUUID, bytes: () => new Uint8Array(), fraction: () => 0 };
    for (const { stream, data } of log.events.filter(({ type }) => type === 'JobEnqueued')) {
      const jobId = stream.slice('job-'.length);
      const { workspaceId, departmentId } = Object(data);
      const context = { workspaceId, departmentId, requestId: '', correlationId: '', causationId: '' };
      const deps = { jobs: own.job, kinds, clock, random, holder: 'node/1', leaseMs: 60_000 };
      await carryOutJob(deps, { jobId, context, takeover: true }, stop);
    }
    return log.events.length > before;
  };

  return {
    ...{ log, outside, made, scripted, vault, aggregates, worker, watch: watchLog(log) },
    attach: (tenant: Tenant, hostname: string, adopt = false) =>
      attachDomain({ aggregates }, tenant, { hostname, adopt, base }, anEnvelope(tenant), () => true),
    detach: (tenant: Tenant, hostname: string) =>
      detachDomain({ aggregates }, tenant, edgeDomainId(sha256, hostname), anEnvelope(tenant)),
    domain: async (hostname: string) => (await aggregates.edgeDomain.load(edgeDomainId(sha256, hostname))).state,
    retire: (tenant: Tenant) =>
      aggregates.edgeWorker.send(
        edgeWorkerId(sha256, tenant.departmentId),
        { type: 'RetireEdgeWorker', data: { reason: 'department_removed' } },
        systemEnvelope('test', { ...anEnvelope(tenant) }, randomUUID()),
      ),
    /** Until nothing more comes of it, with time passing as it must; at most `rounds` times. */
    settle: async (rounds = 40) => {
      for (let round = 0; round < rounds; round += 1) {
        const moved = await runOnce(log, new AbortController().signal);
        now += 700_000;
        if (!moved && round > 0) return;
      }
      throw new Error('This never comes to an end.');
    },
    /** The process dies at its append number `at`, before or after the log has it. False: it came to its end before that. */
    crash: async (at: number, when: 'before' | 'after'): Promise<boolean> => {
      const stop = new AbortController();
      let appends = 0;
      const dying: MemoryLog = {
        ...log,
        append: async (...args) => {
          appends += 1;
          if (appends === at && when === 'after') await log.append(...args);
          if (appends < at) return log.append(...args);
          stop.abort();
          throw new Error('killed');
        },
      };
      for (let round = 0; round < 40; round += 1) {
        const moved = await runOnce(dying, stop.signal).catch(() => undefined);
        now += 700_000;
        if (stop.signal.aborted) return true;
        if (moved === false) return false;
      }
      return false;
    },
  };
};

const domainsOf = (log: MemoryLog, workerId: string) =>
  log.events
    .filter(({ type, data }) => type === 'DomainAttachmentRequested' && data['workerId'] === workerId)
    .map(({ stream, data }) => ({
      domainId: stream.slice('edgeDomain-'.length),
      departmentId: String(data['departmentId']),
    }));

const sleepUntilAborted = (_ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) resolve();
    else signal?.addEventListener('abort', () => resolve(), { once: true });
  });
