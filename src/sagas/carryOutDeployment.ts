import type { Aggregate } from '../commands/send.ts';
import type {
  EdgeWorker,
  EdgeWorkerCommand,
  EdgeWorkerEvent,
  EdgeWorkerRejection,
  LiveWorker,
  Ticket,
} from '../domain/edgeWorker/index.ts';
import type { Clock, Random } from '../platform/clock/port.ts';
import type { Attempt, EdgeProvider, StepOutcome, WorkerSpec } from '../platform/edge/port.ts';
import { errorMessage } from '../platform/log/port.ts';
import { backoffMs, type DueStep, deploymentBackoff, nextStep, reportOf, specOf } from './deployment.ts';
import { keepLease } from './deploymentLease.ts';
import { systemEnvelope, type WorkContext } from './envelope.ts';

export type DeploymentDeps = {
  readonly workers: Aggregate<EdgeWorkerCommand, EdgeWorkerEvent, EdgeWorker, EdgeWorkerRejection>;
  /** The provider that a ticket was admitted for; undefined when this process has none of that kind. */
  readonly providerOf: (kind: string) => EdgeProvider | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly holder: string;
  readonly leaseMs: number;
  readonly stepTimeoutMs: number;
};

/** A ticket that the runner found due. */
export type DueDeployment = {
  readonly ticketId: string;
  readonly workerId: string;
  readonly context: WorkContext;
  /** It is held by an earlier, dead incarnation of this very node. */
  readonly takeover: boolean;
};

type Held = {
  readonly deps: DeploymentDeps;
  readonly due: DueDeployment;
  readonly leaseId: string;
  /** Aborts when the lease is lost or the runner stops: nothing more may be changed outside. */
  readonly signal: AbortSignal;
  readonly ranOut: () => boolean;
};

/** Nothing outside may be begun any more. */
const isOver = ({ signal, ranOut }: Held): boolean => signal.aborted || ranOut();

/**
 * Leases one ticket and walks it as far as it goes now: to its end, to a later attempt, or until the lease is lost.
 * Answers what became of the ticket, for logs and metrics.
 */
export const carryOutDeployment = async (
  deps: DeploymentDeps,
  due: DueDeployment,
  stop: AbortSignal,
): Promise<Ticket['status'] | 'not leased' | 'lease lost'> => {
  const leaseId = deps.random.uuid();
  const now = deps.clock.now();
  const { ticketId, takeover } = due;
  const leased = await deps.workers.send(
    due.workerId,
    {
      type: 'LeaseDeployment',
      data: { ticketId, leaseId, holder: deps.holder, now, leasedUntil: now + deps.leaseMs, takeover },
    },
    systemEnvelope('runner', due.context, 'lease', leaseId),
  );
  if (!leased.ok) return 'not leased';
  const lost = new AbortController();
  const signal = AbortSignal.any([lost.signal, stop]);
  const keeping = keepLease({
    ...{ ...deps, workerId: due.workerId, ticketId, leaseId, leasedUntil: now + deps.leaseMs, context: due.context },
    ...{ over: stop, lost },
  });
  const held: Held = { deps, due, leaseId, signal, ranOut: keeping.ranOut };
  try {
    return await walk(held, leased.state);
  } finally {
    lost.abort();
    await keeping.ended;
  }
};

const walk = async (held: Held, leased: EdgeWorker): Promise<Ticket['status'] | 'lease lost'> => {
  let state = leased;
  for (;;) {
    const ticket = ticketOf(state, held);
    if (!ticket) return 'lease lost';
    if (ticket.status !== 'leased') return ticket.status;
    const next = await advance(held, state, ticket);
    if (!next) return 'lease lost';
    state = next;
  }
};

const ticketOf = (state: EdgeWorker, { due }: Held): Ticket | undefined =>
  state.status !== 'absent' && state.ticket?.ticketId === due.ticketId ? state.ticket : undefined;

/** One step of the ticket; undefined when this runner must stop. */
const advance = async (held: Held, state: EdgeWorker, ticket: Ticket): Promise<EdgeWorker | undefined> => {
  if (state.status === 'absent' || isOver(held)) return undefined;
  const { deps } = held;
  const due = nextStep(ticket);
  if (!due) return undefined;
  const revision = state.revisions.find((each) => each.versionId === ticket.versionId);
  const spec = revision && specOf(held.due.workerId, state, revision);
  const provider = deps.providerOf(ticket.provider);
  if (!provider) return undefined;
  const startedAt = deps.clock.now();
  const { ticketId, attempt, ledger } = ticket;
  const url = provider.url(state.scriptName);
  if (spec && ticket.cancelRequested && !provider.isPublic(due.step, ticket.done, ledger)) {
    const earlier = await lookAtEarlier(held, provider, ticket, spec);
    if (isOver(held)) return undefined;
    if (earlier.outcome === 'retry') return cancel(held, provider, ticket, spec);
    if (earlier.outcome === 'uncertain')
      return report(held, { state, ticket, due: earlier.due, outcome: earlier, startedAt, url });
  }
  const outcome: StepOutcome = spec
    ? await act(held, provider, due, spec, { ticketId, attempt, ledger, ranOut: held.ranOut })
    : { outcome: 'refused', code: 'revision_missing', detail: 'The revision is not in the log of this worker.' };
  if (held.signal.aborted) return undefined;
  return report(held, { state, ticket, due, outcome, startedAt, url });
};

/**
 * Has an earlier attempt put it on the air? It may have died before it could say so, so somebody looks before a
 * cancellation is confirmed. A first attempt has nothing before it.
 */
const lookAtEarlier = async (
  held: Held,
  provider: EdgeProvider,
  { ticketId, attempt, ledger, steps }: Ticket,
  spec: WorkerSpec,
): Promise<StepOutcome & { readonly due: DueStep }> => {
  const step = steps.find((each) => provider.isPublic(each, [], {})) ?? '';
  const due = { step, mode: 'probe' } as const;
  if (attempt === 1 || step === '') return { outcome: 'retry', detail: 'Nothing of it was public.', due };
  return { ...(await act(held, { ...provider, perform: notNow }, due, spec, { ticketId, attempt, ledger })), due };
};

const notNow: EdgeProvider['perform'] = async () => ({ outcome: 'retry', detail: 'It has not happened.' });

/** How long a step that was told to stop may take to say what it had done by then. */
const graceMs = 2_000;

const act = async (
  held: Held,
  provider: EdgeProvider,
  due: DueStep,
  spec: WorkerSpec,
  attempt: Attempt,
): Promise<StepOutcome> => {
  const { clock, stepTimeoutMs } = held.deps;
  const over = new AbortController();
  const late = new AbortController();
  const silence = async (): Promise<StepOutcome> => {
    await clock.sleep(stepTimeoutMs, over.signal);
    late.abort();
    await clock.sleep(graceMs, over.signal);
    return { outcome: 'uncertain', detail: `No answer within ${stepTimeoutMs} ms.` };
  };
  try {
    const signal = AbortSignal.any([held.signal, late.signal]);
    return await Promise.race([askProvider(held, provider, due, spec, attempt, signal), silence()]);
  } catch (error) {
    // A provider promises not to throw; if it does, nobody knows what happened outside.
    return { outcome: 'uncertain', detail: errorMessage(error) };
  } finally {
    over.abort();
  }
};

const askProvider = async (
  held: Held,
  provider: EdgeProvider,
  { step, mode }: DueStep,
  spec: WorkerSpec,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<StepOutcome> => {
  if (mode === 'perform') return provider.perform(step, spec, attempt, signal);
  const seen = await provider.probe(step, spec, attempt, signal);
  if (seen.outcome !== 'retry') return seen;
  if (isOver(held)) return { outcome: 'uncertain', detail: 'Its lease ran out while it was looked at.' };
  return provider.perform(step, spec, attempt, signal);
};

type Report = {
  readonly state: LiveWorker;
  readonly ticket: Ticket;
  readonly due: DueStep;
  readonly outcome: StepOutcome;
  readonly startedAt: number;
  readonly url: string;
};

const report = async (held: Held, what: Report): Promise<EdgeWorker | undefined> => {
  const { deps, due, leaseId } = held;
  const { ticket, outcome, startedAt, url } = what;
  const { step, mode } = what.due;
  const now = deps.clock.now();
  const wait = backoffMs(ticket.attempt, deploymentBackoff, deps.random.fraction());
  const later = outcome.outcome === 'retry' ? Math.max(wait, outcome.afterMs ?? 0) : wait;
  const sent = await deps.workers.send(
    due.workerId,
    {
      type: 'ReportDeploymentStep',
      data: {
        ...{ ticketId: ticket.ticketId, leaseId, step, mode, startedAt, durationMs: now - startedAt },
        ...{ outcome: reportOf(outcome, now + later), facts: outcome.facts ?? {}, url },
      },
    },
    systemEnvelope('runner', due.context, 'report', leaseId, step),
  );
  return sent.ok ? sent.state : undefined;
};

const cancel = async (
  held: Held,
  provider: EdgeProvider,
  ticket: Ticket,
  spec: WorkerSpec,
): Promise<EdgeWorker | undefined> => {
  const { deps, due, leaseId } = held;
  await provider.abandon(spec, { ticketId: ticket.ticketId, attempt: ticket.attempt });
  const sent = await deps.workers.send(
    due.workerId,
    { type: 'ConfirmDeploymentCancel', data: { ticketId: ticket.ticketId, leaseId } },
    systemEnvelope('runner', due.context, 'cancel', leaseId),
  );
  return sent.ok ? sent.state : undefined;
};
