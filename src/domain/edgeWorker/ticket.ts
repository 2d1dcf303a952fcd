import { type Decision, reject } from '../kernel.ts';
import { isEarlierRun } from '../leaseHolder.ts';
import type { EdgeWorkerCommand, EdgeWorkerRejection, LeaseDeployment, ReportDeploymentStep } from './commands.ts';
import type { EdgeWorkerEvent } from './events.ts';
import { isAlive, type LiveWorker, type Ticket } from './state.ts';

type Outcome = Decision<EdgeWorkerEvent, EdgeWorkerRejection>;
export type TicketCommand = Exclude<
  EdgeWorkerCommand,
  {
    type:
      | 'SubmitRevision'
      | 'AdmitDeployment'
      | 'PauseEdgeWorker'
      | 'ResumeEdgeWorker'
      | 'RetireEdgeWorker'
      | 'ConfirmScriptRemoval'
      | 'DeleteEdgeWorker'
      | 'RecordEdgeWorkerDrift'
      | 'SettleEdgeWorkerDrift'
      | 'ReleaseRevisionArtifacts';
  }
>;

/** Rules of one deployment ticket: who may act on it, and what each report means. */
export const decideTicket = (command: TicketCommand, worker: LiveWorker): Outcome => {
  const ticket = worker.ticket;
  if (ticket?.ticketId !== command.data.ticketId) {
    return reject('TicketNotFound', 'This is not the current deployment of the worker.');
  }
  switch (command.type) {
    case 'LeaseDeployment':
      return lease(command.data, ticket);
    case 'RenewDeploymentLease': {
      if (!holds(ticket, command.data.leaseId)) return leaseLost();
      if (command.data.leasedUntil <= ticket.leasedUntil) return [];
      return [{ type: 'DeploymentLeaseRenewed', data: command.data }];
    }
    case 'ReportDeploymentStep':
      return report(command.data, ticket, worker);
    case 'RequestDeploymentCancel':
      return requestCancel(ticket, command.data.giveUp);
    case 'ConfirmDeploymentCancel': {
      if (ticket.status === 'cancelled') return [];
      if (!holds(ticket, command.data.leaseId)) return leaseLost();
      return ticket.cancelRequested ? [cancelled(ticket)] : [];
    }
  }
};

const holds = (ticket: Ticket, leaseId: string): boolean => ticket.status === 'leased' && ticket.leaseId === leaseId;

const leaseLost = () =>
  reject('LeaseLost', 'Another runner holds this deployment now, or it has settled. Stop, and change nothing outside.');

const lease = (data: LeaseDeployment['data'], ticket: Ticket): Outcome => {
  if (ticket.leaseId === data.leaseId) return holds(ticket, data.leaseId) ? [] : leaseLost();
  if (!isAlive(ticket)) return reject('TicketSettled', 'This deployment has settled.');
  const reclaims = data.takeover && isEarlierRun(ticket.holder, data.holder);
  if (ticket.status === 'leased' && data.now < ticket.leasedUntil && !reclaims) {
    return reject('LeaseHeld', 'Another runner holds this deployment.', {
      details: { leasedUntil: ticket.leasedUntil },
    });
  }
  if (ticket.status !== 'leased' && data.now < ticket.nextAttemptAt) {
    return reject('TicketNotDue', 'The next attempt is not due yet.', {
      details: { nextAttemptAt: ticket.nextAttemptAt },
    });
  }
  const { ticketId, leaseId, holder, leasedUntil } = data;
  const { versionId } = ticket;
  const attempt = ticket.attempt + 1;
  return [{ type: 'DeploymentLeased', data: { ticketId, versionId, leaseId, holder, attempt, leasedUntil } }];
};

const report = (data: ReportDeploymentStep['data'], ticket: Ticket, worker: LiveWorker): Outcome => {
  if (ticket.leaseId === data.leaseId && ticket.status !== 'leased') return [];
  if (!holds(ticket, data.leaseId)) return leaseLost();
  if (ticket.done.includes(data.step)) return [];
  const { outcome, ticketId, step, startedAt, durationMs, mode, facts } = data;
  const recorded: EdgeWorkerEvent = {
    type: 'DeploymentStepRecorded',
    data: {
      ...{ ticketId, sequence: ticket.records + 1, attempt: ticket.attempt, step, startedAt, durationMs },
      ...{ outcome: outcome.outcome, detail: outcome.detail, mode, facts },
    },
  };
  switch (outcome.outcome) {
    case 'done':
      return isLast(ticket, step) ? [recorded, completed(data, ticket, worker)] : [recorded];
    case 'refused':
      return [recorded, failed(ticket, outcome.code, outcome.detail)];
    case 'retry':
      return [recorded, again(ticket, outcome, step)];
    case 'uncertain':
      return [recorded, uncertain(ticket, outcome, step)];
  }
};

const isLast = (ticket: Ticket, step: string): boolean =>
  ticket.steps.every((each) => each === step || ticket.done.includes(each));

type Later = { readonly detail: string; readonly nextAttemptAt: number };

const again = (ticket: Ticket, later: Later, step: string): EdgeWorkerEvent => {
  if (ticket.attempt >= ticket.maxAttempts) {
    return failed(
      ticket,
      'attempts_exhausted',
      `Step ${step} did not succeed in ${ticket.attempt} attempts: ${later.detail}`,
    );
  }
  const { ticketId, versionId } = ticket;
  const { detail: reason, nextAttemptAt } = later;
  return { type: 'DeploymentRetryScheduled', data: { ticketId, versionId, reason, nextAttemptAt } };
};

/** Uncertainty has no budget: a deployment that may be live is never given up, only looked at less often. */
const uncertain = (ticket: Ticket, later: Later, step: string): EdgeWorkerEvent => {
  const { ticketId, versionId } = ticket;
  const { detail: reason, nextAttemptAt } = later;
  return { type: 'DeploymentBecameUncertain', data: { ticketId, versionId, step, reason, nextAttemptAt } };
};

const failed = (ticket: Ticket, reasonCode: string, reason: string): EdgeWorkerEvent => {
  const { ticketId, versionId, before } = ticket;
  const revisionState = before === 'ready' ? 'failed' : before;
  return { type: 'DeploymentFailed', data: { ticketId, versionId, reasonCode, reason, revisionState } };
};

const completed = (data: ReportDeploymentStep['data'], ticket: Ticket, worker: LiveWorker): EdgeWorkerEvent => {
  const { ticketId, versionId, revision, provider, scope } = ticket;
  const replaced = worker.revisions.find((each) => each.revision === worker.history.at(-1));
  const supersededVersionId = replaced && replaced.versionId !== versionId ? replaced.versionId : '';
  const workerStatus = worker.status === 'draft' ? 'active' : worker.status;
  return {
    type: 'DeploymentCompleted',
    data: { ticketId, versionId, revision, supersededVersionId, url: data.url, workerStatus, provider, scope },
  };
};

const requestCancel = (ticket: Ticket, giveUp: boolean): Outcome => {
  if (ticket.status === 'cancelled') return [];
  if (!isAlive(ticket)) return reject('TicketSettled', 'This deployment has settled. Roll back instead.');
  const requested: readonly EdgeWorkerEvent[] = ticket.cancelRequested
    ? []
    : [{ type: 'DeploymentCancelRequested', data: { ticketId: ticket.ticketId } }];
  if (ticket.status === 'uncertain' && giveUp) {
    const reason = `Given up while it was uncertain whether ${ticket.uncertainStep} had happened. Reconcile, or deploy again.`;
    return [...requested, failed(ticket, 'given_up', reason)];
  }
  // What an attempt was made at may be on the air: the next one looks before it confirms.
  return ticket.status === 'pending' && ticket.attempt === 0 ? [...requested, cancelled(ticket)] : requested;
};

const cancelled = ({ ticketId, versionId, before }: Ticket): EdgeWorkerEvent => ({
  type: 'DeploymentCancelled',
  data: { ticketId, versionId, revisionState: before },
});

/** A newer deployment takes the place of one that waits. */
export const superseded = cancelled;

/** A worker that goes takes its live deployment with it. */
export const withdrawn = (
  { ticket }: LiveWorker,
  reasonCode: 'worker_retired' | 'worker_deleted',
): readonly EdgeWorkerEvent[] =>
  isAlive(ticket) ? [failed(ticket, reasonCode, 'The worker is gone: its department or its company was removed.')] : [];
