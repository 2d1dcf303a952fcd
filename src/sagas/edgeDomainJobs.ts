import type { Aggregates } from '../commands/aggregates.ts';
import { type DomainWork, domainJobKind } from '../commands/edgeDomain.ts';
import { type EdgeDomainCommand, isHeld, type KnownDomain } from '../domain/edgeDomain/index.ts';
import { clip } from '../domain/kernel.ts';
import { maskText } from '../domain/masking.ts';
import type { DomainSpec, EdgeProvider, Facts, StepOutcome } from '../platform/edge/port.ts';
import { systemEnvelope } from './envelope.ts';
import type { JobEffect, JobInHand, JobKind, JobKinds, JobOutcome } from './jobs/effect.ts';

type Deps = {
  readonly aggregates: Pick<Aggregates, 'edgeDomain' | 'edgeWorker'>;
  readonly provider: EdgeProvider;
};

/**
 * Host names at one provider. Each piece of work looks first, and is done when it finds what it would make: an attempt of
 * which nobody knows the end is simply made again.
 */
export const edgeDomainJobs = (deps: Deps): JobKinds => {
  const kind = (work: DomainWork, effect: JobEffect, ceilingMs: number): readonly [string, JobKind] => [
    domainJobKind(work, deps.provider.kind),
    { effect, timeoutMs: 60_000, backoff: { firstMs: 1_000, ceilingMs } },
  ];
  return Object.fromEntries([
    kind('attach', (job, signal) => attach(deps, job, signal), 300_000),
    kind('verify', (job, signal) => verify(deps, job, signal), 30_000),
    kind('detach', (job, signal) => detach(deps, job, signal), 600_000),
  ]);
};

const nothing = (why: string): JobOutcome => ({ outcome: 'done', detail: `Nothing to do: ${why}.` });

/** The claim that the job is about, while it holds the name. */
const heldBy = async ({ aggregates }: Deps, job: JobInHand): Promise<KnownDomain | undefined> => {
  const { state } = await aggregates.edgeDomain.load(job.subjectId);
  return isHeld(state) && state.claim === job.payload['claim'] ? state : undefined;
};

const specOf = ({ subjectId: domainId }: JobInHand, { hostname, scriptName, adopt }: KnownDomain): DomainSpec => ({
  ...{ hostname, scriptName, adopt, domainId },
});

/** Everything here can be said twice, so a command that is refused is a defect. */
const tell = async ({ aggregates }: Deps, job: JobInHand, command: EdgeDomainCommand): Promise<void> => {
  const envelope = systemEnvelope('edgeDomains', job.context, job.jobId, String(job.attempt), command.type);
  const sent = await aggregates.edgeDomain.send(job.subjectId, command, envelope);
  if (!sent.ok) throw new Error(`${command.type} was refused: ${sent.rejection.rejected}`);
};

const maxFactLength = 500;

const plain = (facts: Facts = {}): Facts =>
  Object.fromEntries(Object.entries(facts).map(([key, text]) => [key, clip(maskText(text), maxFactLength)]));

const later = (outcome: Extract<StepOutcome, { outcome: 'retry' | 'uncertain' }>): JobOutcome => {
  const { detail } = outcome;
  if (outcome.outcome === 'uncertain') return { outcome: 'uncertain', detail };
  return { outcome: 'retry', detail, ...(outcome.afterMs !== undefined && { afterMs: outcome.afterMs }) };
};

const attach = async (deps: Deps, job: JobInHand, signal: AbortSignal): Promise<JobOutcome> => {
  const domain = await heldBy(deps, job);
  if (!domain?.settling) return nothing('the attachment has settled');
  const { claim } = domain;
  if (domain.status === 'detaching') {
    await tell(deps, job, { type: 'AbandonDomainAttachment', data: { claim } });
    return nothing('it is to be detached');
  }
  const refuse = async (code: string, reason: string, owner: string): Promise<JobOutcome> => {
    const data = { claim, code, reason: clip(maskText(reason), maxFactLength), owner };
    await tell(deps, job, { type: 'RefuseDomainAttachment', data });
    return { outcome: 'refused', code, detail: reason };
  };
  if (!(await runsThere(deps, domain))) return refuse('worker_gone', 'The worker no longer runs there.', '');
  const outcome = await deps.provider.attachDomain(specOf(job, domain), signal);
  switch (outcome.outcome) {
    case 'done':
      await tell(deps, job, { type: 'ConfirmDomainAttachment', data: { claim, facts: plain(outcome.facts) } });
      return { outcome: 'done', detail: outcome.detail };
    case 'refused':
      return refuse(outcome.code, outcome.detail, plain(outcome.facts)['owner'] ?? '');
    case 'retry':
    case 'uncertain':
      return later(outcome);
  }
};

/** Read from the log now: a worker that went before this has been asked to detach only what was claimed by then. */
const runsThere = async ({ aggregates, provider }: Deps, { workerId }: KnownDomain): Promise<boolean> => {
  const { state } = await aggregates.edgeWorker.load(workerId);
  return state.status !== 'absent' && !state.retired && state.placement?.provider === provider.kind;
};

/** After so many looks that told nothing, that is what is recorded. */
const looks = 6;

const verify = async (deps: Deps, job: JobInHand, signal: AbortSignal): Promise<JobOutcome> => {
  const domain = await heldBy(deps, job);
  if (domain?.status !== 'attached') return nothing('it is not attached');
  const outcome = await deps.provider.verifyDomain(specOf(job, domain), signal);
  const unclear = outcome.outcome === 'retry' || outcome.outcome === 'uncertain';
  // A look changes nothing outside: to look again is never a doubt.
  if (unclear && job.attempt < looks) return later({ ...outcome, outcome: 'retry' });
  const verified = outcome.outcome === 'done';
  const detail = clip(maskText(outcome.detail), maxFactLength);
  const data = { claim: domain.claim, verificationId: job.jobId, verified, detail, facts: plain(outcome.facts) };
  await tell(deps, job, { type: 'RecordDomainVerification', data });
  return { outcome: 'done', detail, result: { verified } };
};

const detach = async (deps: Deps, job: JobInHand, signal: AbortSignal): Promise<JobOutcome> => {
  const domain = await heldBy(deps, job);
  if (domain?.status !== 'detaching' || domain.settling) return nothing('it is not to be detached now');
  const outcome = await deps.provider.detachDomain(specOf(job, domain), signal);
  switch (outcome.outcome) {
    case 'done': {
      const data = { claim: domain.claim, facts: plain(outcome.facts) };
      await tell(deps, job, { type: 'ConfirmDomainDetachment', data });
      return { outcome: 'done', detail: outcome.detail };
    }
    case 'refused':
      // The name is not free before what was made for it is gone, so this goes on.
      return { outcome: 'retry', detail: `${outcome.code}: ${outcome.detail}`, afterMs: 60_000 };
    case 'retry':
    case 'uncertain':
      return later(outcome);
  }
};
