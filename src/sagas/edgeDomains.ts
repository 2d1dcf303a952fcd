import type { Aggregates } from '../commands/aggregates.ts';
import { type DomainWork, domainJobKey, domainJobKind } from '../commands/edgeDomain.ts';
import { enqueueJob } from '../commands/job.ts';
import type { OpslogEvent } from '../domain/catalog.ts';
import type { EdgeDomainCommand, KnownDomain } from '../domain/edgeDomain/index.ts';
import type { Recorded } from '../domain/kernel.ts';
import type { Position } from '../platform/eventLog/port.ts';
import type { Vault } from '../platform/vault/port.ts';
import { systemEnvelope, type WorkContext } from './envelope.ts';
import { type Reactor, reactTo } from './reactor.ts';

type Deps = { readonly aggregates: Pick<Aggregates, 'edgeDomain' | 'job'> };

const name = 'edgeDomains';

/** A detachment has no end but success: whatever ends its job begins another one, after this time. */
const againAfterMs = 600_000;

/** What is to be done outside for a host name becomes a job; an attachment whose job ends without it is refused. */
export const workOnDomains = (deps: Deps): Reactor =>
  reactTo(
    name,
    [
      'DomainAttachmentRequested',
      'DomainAttached',
      'DomainDetachmentRequested',
      'DomainAttachmentAbandoned',
      'JobDied',
      'JobFailed',
      'JobCancelled',
    ],
    async (event) => {
      switch (event.type) {
        case 'DomainAttachmentRequested':
          return enqueue(deps, event, 'attach', { ...event.data, domainId: event.meta.subjectId });
        case 'DomainAttached':
          return withState(deps, event, (domain) => enqueue(deps, event, 'verify', domain));
        case 'DomainDetachmentRequested':
        case 'DomainAttachmentAbandoned':
          return withState(deps, event, async (domain) => {
            if (domain.status === 'detaching' && !domain.settling) await enqueue(deps, event, 'detach', domain);
          });
        case 'JobDied':
        case 'JobFailed':
        case 'JobCancelled':
          return jobEnded(deps, event);
      }
    },
  );

type DomainOfJob = Pick<KnownDomain, 'companyId' | 'departmentId' | 'provider' | 'hostname' | 'claim'> & {
  readonly domainId: string;
};

/** The domain as it is now, if its claim is still the one that the event is about. */
const withState = async (
  { aggregates }: Deps,
  event: Recorded<Extract<OpslogEvent, { data: { claim: number } }>>,
  work: (domain: KnownDomain & { readonly domainId: string }) => Promise<void>,
): Promise<void> => {
  const domainId = event.meta.subjectId;
  const { state } = await aggregates.edgeDomain.load(domainId);
  if (state.status !== 'absent' && state.claim === event.data.claim) await work({ ...state, domainId });
};

const contextOf = ({ meta }: Recorded<OpslogEvent>): WorkContext => {
  const { workspaceId, departmentId, requestId, correlationId, eventId } = meta;
  return { workspaceId, departmentId, requestId, correlationId, causationId: eventId };
};

const attempts = { attach: 20, verify: 10, detach: 1_000 } as const satisfies Record<DomainWork, number>;

const enqueue = async (
  { aggregates }: Deps,
  event: Recorded<OpslogEvent>,
  work: DomainWork,
  { domainId, companyId: workspaceId, departmentId, provider, hostname, claim }: DomainOfJob,
  later: { readonly runAt: number; readonly key: string } = { runAt: 0, key: '' },
): Promise<void> => {
  const key = work === 'verify' ? event.meta.eventId : `${domainJobKey(domainId, claim)}${later.key}`;
  const sent = await enqueueJob(
    { aggregates },
    {
      ...{ kind: domainJobKind(work, provider), workspaceId, departmentId, subjectId: domainId },
      ...{ payload: { hostname, claim }, dedupeKey: key, maxAttempts: attempts[work], runAt: later.runAt, priority: 4 },
    },
    systemEnvelope(name, contextOf(event), event.meta.eventId, work),
  );
  if (!sent.ok) throw new Error(`${hostname}: ${work} could not be enqueued: ${sent.rejection.rejected}`);
};

const workOf = (kind: string, provider: string): DomainWork | undefined => {
  const works = ['attach', 'verify', 'detach'] as const;
  return works.find((work) => domainJobKind(work, provider) === kind);
};

type JobEnd = Recorded<Extract<OpslogEvent, { type: 'JobDied' | 'JobFailed' | 'JobCancelled' }>>;

const jobEnded = async (deps: Deps, event: JobEnd): Promise<void> => {
  const { aggregates } = deps;
  const { state: job } = await aggregates.job.load(event.meta.subjectId);
  if (job.status === 'absent' || !/^edge\.(?:attach|detach)Domain\./.test(job.kind)) return;
  const domainId = job.subjectId;
  const { state } = await aggregates.edgeDomain.load(domainId);
  if (state.status === 'absent' || state.claim !== job.payload['claim']) return;
  if (workOf(job.kind, state.provider) === 'attach') return attachmentEnded(deps, event, domainId, state);
  if (state.status !== 'detaching' || state.settling) return;
  const later = { runAt: event.meta.recordedAt + againAfterMs, key: `/${event.meta.eventId}` };
  await enqueue(deps, event, 'detach', { ...state, domainId }, later);
};

/** Given up, nothing is there outside; cancelled, something may be: that is detached. */
const attachmentEnded = async (deps: Deps, event: JobEnd, domainId: string, domain: KnownDomain): Promise<void> => {
  const { claim, companyId, departmentId } = domain;
  if (event.type === 'JobCancelled') {
    if (!domain.settling) return;
    const reason = 'attachment_cancelled';
    await send(deps, event, domainId, {
      type: 'RequestDomainDetachment',
      data: { companyId, departmentId, reason },
    });
    await send(deps, event, domainId, { type: 'AbandonDomainAttachment', data: { claim } });
    return;
  }
  const { reasonCode: code, reason } = event.data;
  await send(deps, event, domainId, { type: 'RefuseDomainAttachment', data: { claim, code, reason, owner: '' } });
};

const send = async (
  { aggregates }: Pick<Deps, 'aggregates'>,
  event: Recorded<OpslogEvent>,
  domainId: string,
  command: EdgeDomainCommand,
): Promise<void> => {
  const envelope = systemEnvelope(name, contextOf(event), event.meta.eventId, domainId, command.type);
  const sent = await aggregates.edgeDomain.send(domainId, command, envelope);
  if (!sent.ok && sent.rejection.rejected !== 'DomainNotFound') {
    throw new Error(`${command.type} was refused: ${sent.rejection.rejected}`);
  }
};

/** A worker that goes leaves no host name behind. What is claimed after that is refused when it is to be attached. */
export const detachDomainsOfGoneWorkers = (
  deps: Deps & {
    /** With everything up to `position`. */
    readonly domainsOfWorker: (
      worker: { readonly companyId: string; readonly workerId: string },
      position: Position,
    ) => Promise<readonly { readonly domainId: string; readonly departmentId: string }[]>;
  },
): Reactor =>
  reactTo('detachDomainsOfGoneWorkers', ['EdgeWorkerRetired', 'EdgeWorkerDeleted'], async (event) => {
    const { workspaceId: companyId, subjectId: workerId, position } = event.meta;
    const reason = event.type === 'EdgeWorkerRetired' ? 'worker_retired' : 'worker_deleted';
    for (const { domainId, departmentId } of await deps.domainsOfWorker({ companyId, workerId }, position)) {
      const command = { type: 'RequestDomainDetachment', data: { companyId, departmentId, reason } } as const;
      await send(deps, event, domainId, command);
    }
  });

/** The data key of a certificate that nobody serves any more is destroyed, and with it what the log keeps of it. */
export const destroyReplacedCertificates = ({ vault }: { readonly vault: Pick<Vault, 'destroy'> }): Reactor =>
  reactTo('destroyReplacedCertificates', ['DomainCertificateRemoved', 'DomainCertificateStored'], async (event) => {
    if (event.type === 'DomainCertificateRemoved') await vault.destroy(event.data.keyId);
    if (event.type === 'DomainCertificateStored' && event.data.replacedKeyId !== '') {
      await vault.destroy(event.data.replacedKeyId);
    }
  });
