import { hasEnded, type TicketModel, type WorkerModel } from './model.ts';
import { settings } from './settings.ts';
import type { Facts, Surroundings } from './surroundings.ts';

export type TicketFacts = Exclude<
  Extract<Facts, { readonly data: { readonly ticketId: string } }>,
  { type: 'DeploymentAdmitted' }
>;

export const isOfTicket = (event: Facts): event is TicketFacts =>
  'ticketId' in event.data && event.type !== 'DeploymentAdmitted';

/** Checks one fact about a deployment, and takes it into the model. */
export const checkTicket = (
  around: Surroundings,
  process: string,
  event: TicketFacts,
  batch: readonly Facts[],
  worker: WorkerModel,
  ticket: TicketModel,
): void => {
  const { violate } = around;
  if (hasEnded(ticket)) violate('settledOnce', `${event.type} for ${ticket.ticketId}, which is ${ticket.status}`);
  const byHolder = (): void => {
    if (ticket.status !== 'leased' || ticket.holder !== process)
      violate(
        'lease',
        `${process} reports ${event.type} of ${ticket.ticketId}, which ${ticket.holder || 'nobody'} holds`,
      );
  };
  worker.settledAt = around.now();
  switch (event.type) {
    case 'DeploymentLeased':
      checkLease(around, process, event, ticket);
      break;
    case 'DeploymentLeaseRenewed':
      byHolder();
      ticket.leasedUntil = event.data.leasedUntil;
      break;
    case 'DeploymentStepRecorded':
      byHolder();
      checkRecord(around, event, ticket);
      break;
    case 'DeploymentRetryScheduled':
      byHolder();
      if (ticket.attempt >= ticket.maxAttempts)
        violate('budget', `${ticket.ticketId} goes on after ${ticket.attempt} attempts`);
      checkNextTime(around, event.data.nextAttemptAt, ticket);
      ticket.status = 'pending';
      break;
    case 'DeploymentBecameUncertain':
      byHolder();
      checkNextTime(around, event.data.nextAttemptAt, ticket);
      ticket.status = 'uncertain';
      ticket.uncertainStep = event.data.step;
      break;
    case 'DeploymentCompleted':
      byHolder();
      checkCompletion(around, event, worker, ticket);
      break;
    case 'DeploymentFailed':
      if (
        ticket.status === 'uncertain' &&
        !['given_up', 'worker_retired', 'worker_deleted'].includes(event.data.reasonCode)
      )
        violate('uncertain', `${ticket.ticketId} was given up while it was uncertain`);
      ticket.status = 'failed';
      ticket.reasonCode = event.data.reasonCode;
      break;
    case 'DeploymentCancelled':
      ticket.superseded = batch.some(({ type }) => type === 'DeploymentAdmitted');
      if (around.isShown(process, ticket) && !ticket.superseded)
        violate('cancelled', `${ticket.ticketId} is cancelled although it is on the air`);
      if (ticket.status === 'uncertain')
        violate('uncertain', `${ticket.ticketId} was cancelled while it was uncertain`);
      ticket.status = 'cancelled';
      break;
  }
};

const checkLease = (
  { isAlive, isHealthy, now, violate }: Surroundings,
  process: string,
  { data }: Extract<Facts, { type: 'DeploymentLeased' }>,
  ticket: TicketModel,
): void => {
  const { ticketId } = ticket;
  const nodeOf = (name: string): string => name.split('/', 1).join('');
  const held =
    ticket.status === 'leased' && ticket.holder !== process && now() < ticket.leasedUntil - 4 * settings.skewMs;
  const reclaims = nodeOf(ticket.holder) === nodeOf(process) && !isAlive(ticket.holder);
  if (held && !reclaims)
    violate('lease', `${process} takes ${ticketId} from ${ticket.holder}, whose lease is in force`);
  if (ticket.status === 'leased' && ticket.holder !== process && isHealthy(ticket.holder))
    violate('renewal', `${ticket.holder} lost its lease of ${ticketId} though nothing had befallen it`);
  if (data.attempt !== ticket.attempt + 1)
    violate('fencing', `attempt ${data.attempt} of ${ticketId} follows ${ticket.attempt}`);
  if (data.holder !== process) violate('lease', `${process} leases ${ticketId} for ${data.holder}`);
  if (!(data.leasedUntil <= now() + settings.leaseMs + 2 * settings.skewMs))
    violate('nextTime', `${ticketId} is leased for too long`);
  ticket.status = 'leased';
  ticket.holder = process;
  ticket.leaseId = data.leaseId;
  ticket.leasedUntil = data.leasedUntil;
  ticket.attempt = data.attempt;
  ticket.done = new Set();
  ticket.probed = new Set();
  ticket.unclear = 0;
};

const checkRecord = (
  { answered, violate }: Surroundings,
  { data }: Extract<Facts, { type: 'DeploymentStepRecorded' }>,
  ticket: TicketModel,
): void => {
  const { ticketId, attempt, step, outcome, durationMs } = data;
  if (attempt !== ticket.attempt)
    violate('fencing', `${ticketId}: a record of attempt ${attempt} in attempt ${ticket.attempt}`);
  if (ticket.done.has(step)) violate('settledOnce', `${ticketId}: ${step} is recorded a second time`);
  const answer = answered(ticketId, attempt, step);
  const tooLate = outcome === 'uncertain' && durationMs >= settings.stepTimeoutMs;
  if (
    !tooLate &&
    outcome !== (answer?.outcome ?? 'uncertain') &&
    data.detail !== 'The revision is not in the log of this worker.'
  )
    violate('faithful', `${ticketId}: ${step} was ${answer?.outcome ?? 'not answered'} and is recorded as ${outcome}`);
  if (outcome === 'uncertain' && answer?.outcome === 'uncertain' && ticket.unclear === 0 && data.mode !== 'probe')
    violate('uncertain', `${ticketId}: ${step} is uncertain though every answer was clear`);
  if (outcome === 'done') ticket.done.add(step);
  if (outcome !== 'uncertain' && ticket.uncertainStep === step) ticket.uncertainStep = '';
};

/** Neither never nor always: who waits comes again, and not before it was asked to. */
const checkNextTime = ({ answered, now, violate }: Surroundings, next: number, ticket: TicketModel): void => {
  const answers = ticket.steps.map((step) => answered(ticket.ticketId, ticket.attempt, step));
  const wait = answers.find((answer) => answer !== undefined && answer.outcome === 'retry' && answer.afterMs > 0);
  const slack = 12_000;
  if (!(next > now() - slack && next < now() + 61_000 + (wait?.afterMs ?? 0)))
    violate('nextTime', `${ticket.ticketId} is next due in ${next - now()} ms`);
  if (wait && next < wait.at + wait.afterMs - 2 * settings.skewMs)
    violate('retryAfter', `${ticket.ticketId} comes again ${wait.at + wait.afterMs - next} ms too early`);
};

const checkCompletion = (
  { violate }: Surroundings,
  { data }: Extract<Facts, { type: 'DeploymentCompleted' }>,
  worker: WorkerModel,
  ticket: TicketModel,
): void => {
  const { ticketId } = ticket;
  const missing = ticket.steps.filter((step) => !ticket.done.has(step));
  if (missing.length > 0) violate('completion', `${ticketId} is completed without ${missing.join(', ')}`);
  if (!ticket.public) violate('completion', `${ticketId} is completed and the world has not seen it`);
  const before = worker.versions[(worker.history.at(-1) ?? 0) - 1] ?? '';
  const superseded = before === ticket.versionId ? '' : before;
  if (data.supersededVersionId !== superseded)
    violate(
      'superseded',
      `${ticketId} supersedes ${data.supersededVersionId || 'nothing'}, live was ${superseded || 'nothing'}`,
    );
  if (data.revision !== ticket.revision || data.versionId !== ticket.versionId)
    violate('completion', `${ticketId} completes another revision`);
  const status = worker.status === 'draft' ? 'active' : worker.status;
  if (data.workerStatus !== status)
    violate('paused', `${ticketId} leaves the worker ${data.workerStatus}, it was ${worker.status}`);
  worker.status = status;
  worker.history.push(ticket.revision);
  worker.liveTicketId = ticketId;
  worker.drift = undefined;
  ticket.status = 'completed';
};
