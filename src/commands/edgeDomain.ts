import { domainToASCII, domainToUnicode } from 'node:url';
import { z } from 'zod';
import {
  checkHostname,
  type EdgeDomainRejection,
  hostnameProblem,
  isHeld,
  type KnownDomain,
} from '../domain/edgeDomain/index.ts';
import type { EdgeWorker } from '../domain/edgeWorker/index.ts';
import { edgeDomainId, edgeWorkerId } from '../domain/identifiers.ts';
import type { JobRejection } from '../domain/job/index.ts';
import { type Rejection, reject } from '../domain/kernel.ts';
import type { Aggregates } from './aggregates.ts';
import { claimKey } from './claimKey.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { enqueueJob, jobIdOf } from './job.ts';
import { done, notSent, type Outcome } from './outcome.ts';

export const attachDomainSchema = z.strictObject({
  hostname: z
    .string()
    .min(1)
    .max(1_000)
    .meta({
      description:
        'A full host name such as www.example.com; an international one as it is written, or in its ASCII form, which is the ' +
        'one that is kept, in lower case (IDNA).',
    }),
  adopt: z.boolean().optional().meta({
    description: 'Take over what is there for this name and was not made here. Without it that is a conflict.',
  }),
});

type Tenant = { readonly workspaceId: string; readonly departmentId: string };
type NameProblem = 'DomainNameInvalid' | 'DomainNameReserved';

/** The one spelling of a host name: ASCII (IDNA, non-transitional), lower case, no dot at the end. */
export const toHostname = (text: string, base: string): string | Rejection<NameProblem> => {
  const trimmed = text.trim().replace(/\.$/, '');
  const ascii = domainToASCII(trimmed);
  const problem = hostnameProblem(trimmed) ?? checkHostname(ascii === '' ? trimmed : ascii, base);
  if (problem) return reject(problem.code, problem.reason, { field: 'hostname' });
  if (ascii === '') return reject('DomainNameInvalid', 'This is no international host name.', { field: 'hostname' });
  return ascii;
};

/** For people; the ASCII form where there is no other. */
export const toUnicode = (hostname: string): string => domainToUnicode(hostname) || hostname;

export type DomainWork = 'attach' | 'verify' | 'detach';

/** A kind per provider: a job is left to whoever can reach it. `subjectId` is the domain, `payload.claim` its claim. */
export const domainJobKind = (work: DomainWork, provider: string): string => `edge.${work}Domain.${provider}`;

/** One attachment and one detachment per claim. */
export const domainJobKey = (domainId: string, claim: number): string => `${domainId}/${claim}`;

export type DomainTicket = {
  readonly domainId: string;
  readonly hostname: string;
  readonly status: KnownDomain['status'];
  readonly jobId: string;
};

const ticketOf = (domainId: string, state: KnownDomain, work: 'attach' | 'detach'): DomainTicket => ({
  ...{ domainId, hostname: state.hostname, status: state.status },
  jobId: jobIdOf({
    workspaceId: state.companyId,
    kind: domainJobKind(work, state.provider),
    dedupeKey: domainJobKey(domainId, state.claim),
  }),
});

type Deps = { readonly aggregates: Aggregates };
type AttachRejection =
  | EdgeDomainRejection
  | NameProblem
  | 'EdgeWorkerNotFound'
  | 'EdgeWorkerNotDeployed'
  | 'EdgeWorkerRetired';

/** Claims the name; a job attaches it. `mayName` says which departments the caller may hear of. */
export const attachDomain = async (
  { aggregates }: Deps,
  { workspaceId: companyId, departmentId }: Tenant,
  wanted: { readonly hostname: string; readonly adopt: boolean; readonly base: string },
  envelope: Envelope,
  mayName: (departmentId: string) => boolean,
): Promise<Outcome<DomainTicket, AttachRejection>> => {
  const hostname = toHostname(wanted.hostname, wanted.base);
  if (typeof hostname !== 'string') return { ok: false, rejection: hostname };
  const workerId = edgeWorkerId(sha256, departmentId);
  const place = placeOf((await aggregates.edgeWorker.load(workerId)).state);
  if ('rejected' in place) return { ok: false, rejection: place };
  const domainId = edgeDomainId(sha256, hostname);
  const { adopt } = wanted;
  const command = {
    type: 'RequestDomainAttachment',
    data: { hostname, companyId, departmentId, workerId, adopt, ...place },
  } as const;
  const rehearsed = await aggregates.edgeDomain.send(domainId, command, { ...envelope, dryRun: true });
  const reused = rehearsed.ok ? await claimKey(aggregates, domainId, envelope) : undefined;
  if (reused) return { ok: false, rejection: reused };
  const sent = rehearsed.ok ? await aggregates.edgeDomain.send(domainId, command, envelope) : rehearsed;
  if (!sent.ok) return { ok: false, rejection: await describeTaken(aggregates, sent.rejection, mayName) };
  if (sent.state.status === 'absent') throw new Error(`${hostname} was claimed but is not there.`);
  return done(ticketOf(domainId, sent.state, 'attach'), sent, sent);
};

const placeOf = (
  worker: EdgeWorker,
):
  | { readonly scriptName: string; readonly provider: string; readonly scope: string }
  | Rejection<'EdgeWorkerNotFound' | 'EdgeWorkerNotDeployed' | 'EdgeWorkerRetired'> => {
  if (worker.status === 'absent') {
    return reject('EdgeWorkerNotFound', 'This department has no edge worker yet. Submit a revision first.');
  }
  const { scriptName, placement, retired } = worker;
  if (retired) return reject('EdgeWorkerRetired', 'The department of this worker was removed.');
  if (!placement) {
    return reject('EdgeWorkerNotDeployed', 'The worker runs nowhere yet. Deploy a revision, then attach host names.');
  }
  return { scriptName, ...placement };
};

/** The department that has the name, by its short name, for callers who may know of it. */
const describeTaken = async <Code extends string>(
  { department }: Aggregates,
  rejection: Rejection<Code>,
  mayName: (departmentId: string) => boolean,
): Promise<Rejection<Code>> => {
  const departmentId = rejection.details?.['departmentId'];
  if (typeof departmentId !== 'string') return rejection;
  const { details: _, ...unnamed } = rejection;
  if (!mayName(departmentId)) return unnamed;
  const { state } = await department.load(departmentId, { maxAgeMs: Number.POSITIVE_INFINITY });
  return state.status === 'absent' ? rejection : { ...unnamed, details: { departmentId, department: state.slug } };
};

const noDomain = () => notSent('DomainNotFound', 'This department has no such host name. Attach it first.');

/** Of whatever way the name is written; `base` as for attaching. Undefined for what cannot be a name here. */
export const domainIdOf = (text: string, base: string): string | undefined => {
  const hostname = toHostname(text, base);
  return typeof hostname === 'string' ? edgeDomainId(sha256, hostname) : undefined;
};

/** Gives the name back once the provider confirms that nothing of it is left. */
export const detachDomain = async (
  { aggregates }: Pick<Deps, 'aggregates'>,
  { workspaceId: companyId, departmentId }: Tenant,
  domainId: string,
  envelope: Envelope,
): Promise<Outcome<DomainTicket, EdgeDomainRejection>> => {
  const data = { companyId, departmentId, reason: 'requested' };
  const sent = await aggregates.edgeDomain.send(domainId, { type: 'RequestDomainDetachment', data }, envelope);
  if (!sent.ok) return sent;
  if (sent.state.status === 'absent') return noDomain();
  return done(ticketOf(domainId, sent.state, 'detach'), sent, sent);
};

/** A look at whether the name leads to the worker; what it finds is recorded. */
export const verifyDomain = async (
  { aggregates }: Pick<Deps, 'aggregates'>,
  { workspaceId, departmentId }: Tenant,
  domainId: string,
  envelope: Envelope,
): Promise<Outcome<DomainTicket, EdgeDomainRejection | JobRejection>> => {
  const { state } = await aggregates.edgeDomain.load(domainId);
  if (!isHeld(state) || state.companyId !== workspaceId || state.departmentId !== departmentId) return noDomain();
  if (state.status !== 'attached') {
    return notSent(
      'DomainNotAttached',
      `${state.hostname} is ${state.status}. It can be verified once it is attached.`,
    );
  }
  const { claim, hostname, status, provider } = state;
  const enqueued = await enqueueJob(
    { aggregates },
    {
      ...{ kind: domainJobKind('verify', provider), workspaceId, departmentId, subjectId: domainId },
      ...{ payload: { hostname, claim }, dedupeKey: envelope.commandId, maxAttempts: 10 },
    },
    envelope,
  );
  if (!enqueued.ok) return enqueued;
  const { revision, position, events } = enqueued;
  const value = { domainId, hostname, status, jobId: enqueued.value.jobId };
  return { ok: true, value, revision, position, events };
};
