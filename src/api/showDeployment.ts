import type { TicketAnswer, TicketWithSteps } from '../projections/answers.ts';
import { explainDeployment } from './explainDeployment.ts';
import { isoTime, isoTimeOrNull } from './models.ts';

export const showDeployment = (ticket: TicketAnswer) => ({
  ticketId: ticket.ticketId,
  workspaceId: ticket.companyId,
  departmentId: ticket.departmentId,
  workerId: ticket.workerId,
  versionId: ticket.versionId,
  revision: ticket.revision,
  kind: ticket.kind,
  status: ticket.status,
  attempts: ticket.attemptCount,
  maxAttempts: ticket.maxAttempts,
  cancelRequested: ticket.cancelRequested,
  plan: [...ticket.steps],
  reasonCode: ticket.reasonCode,
  reason: ticket.errorMessage,
  url: ticket.url,
  next: nextOf(ticket),
  createdAt: isoTime(ticket.createdAt),
  updatedAt: isoTime(ticket.updatedAt),
  completedAt: isoTimeOrNull(ticket.completedAt),
});

export const showDeploymentWithSteps = (ticket: TicketWithSteps) => ({
  ...showDeployment(ticket),
  explanation: explainDeployment(ticket),
  steps: ticket.records.map(({ startedAt, ...record }) => ({ ...record, startedAt: isoTime(startedAt) })),
});

/** In words, because whoever waits for a deployment asks exactly this. */
const nextOf = ({ status, attemptCount, nextAttemptAt, leasedUntil }: TicketAnswer) => {
  switch (status) {
    case 'pending': {
      const at = isoTimeOrNull(nextAttemptAt);
      return attemptCount === 0
        ? { action: 'start' as const, at, description: 'A runner takes it up.' }
        : { action: 'retry' as const, at, description: `A runner tries again, attempt ${attemptCount + 1}.` };
    }
    case 'leased': {
      const at = isoTimeOrNull(leasedUntil);
      return {
        action: 'report' as const,
        at,
        description: 'A runner is at work; another takes over if it is silent until then.',
      };
    }
    case 'uncertain': {
      const at = isoTimeOrNull(nextAttemptAt);
      return {
        action: 'probe' as const,
        at,
        description: 'A step may or may not have happened; a runner looks which.',
      };
    }
    case 'completed':
    case 'failed':
    case 'cancelled':
      return null;
  }
};
