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
import { backoffMs, type DueStep, deploymentBackoff, nextStep, reportOf, specOf } from './deployment.ts';
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
};

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
  const held: Held = { deps, due, leaseId, signal };
  const renewing = renewLease(held, lost);
  try {
    return await walk(held, leased.state);
  } finally {
    lost.abort();
    await renewing;
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
  if (state.status === 'absent' || held.signal.aborted) return undefined;
  const { deps } = held;
  const due = nextStep(ticket);
  if (!due) return undefined;
  const revision = state.revisions.find((each) => each.versionId === ticket.versionId);
  const spec = revision && specOf(held.due.workerId, state, revision);
  const provider = deps.providerOf(ticket.provider);
  if (!provider) return undefined;
  const isPublic = provider.isPublic(due.step, ticket.done, ticket.ledger);
  if (spec && ticket.cancelRequested && !ticket.uncertainStep && !isPublic) {
    return cancel(held, provider, ticket, spec);
  }
  const startedAt = deps.clock.now();
  const { ticketId, attempt, ledger } = ticket;
  const outcome: StepOutcome = spec
    ? await act(held, provider, due, spec, { ticketId, attempt, ledger })
    : { outcome: 'refused', code: 'revision_missing', detail: 'The revision is not in the log of this worker.' };
  if (held.signal.aborted) return undefined;
  return report(held, { state, ticket, due, outcome, startedAt, url: provider.url(state.scriptName) });
};

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
    return await Promise.race([askProvider(provider, due, spec, attempt, signal), silence()]);
  } catch (error) {
    // A provider promises not to throw; if it does, nobody knows what happened outside.
    return { outcome: 'uncertain', detail: error instanceof Error ? error.message : String(error) };
  } finally {
    over.abort();
  }
};

const askProvider = async (
  provider: EdgeProvider,
  { step, mode }: DueStep,
  spec: WorkerSpec,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<StepOutcome> => {
  if (mode === 'perform') return provider.perform(step, spec, attempt, signal);
  const seen = await provider.probe(step, spec, attempt, signal);
  return seen.outcome === 'retry' ? provider.perform(step, spec, attempt, signal) : seen;
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

/** Keeps the lease while steps take long. Losing it aborts what is being done. */
const renewLease = async ({ deps, due, leaseId, signal }: Held, lost: AbortController): Promise<void> => {
  const { clock, leaseMs, workers } = deps;
  for (let count = 1; !signal.aborted; count += 1) {
    await clock.sleep(leaseMs / 3, signal);
    if (signal.aborted) return;
    const leasedUntil = clock.now() + leaseMs;
    const command = { type: 'RenewDeploymentLease', data: { ticketId: due.ticketId, leaseId, leasedUntil } } as const;
    const envelope = systemEnvelope('runner', due.context, 'renew', leaseId, String(count));
    const renewed = await workers.send(due.workerId, command, envelope).catch(() => undefined);
    if (renewed && !renewed.ok) lost.abort();
  }
};
