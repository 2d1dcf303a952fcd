import { decode } from '../../src/commands/envelope.ts';
import type { OpslogEvent } from '../../src/domain/catalog.ts';
import type { Recorded } from '../../src/domain/kernel.ts';
import type { StoredEvent } from '../../src/platform/eventLog/port.ts';
import { checkTicket, isOfTicket } from './checkTicket.ts';
import { isLive, type Model, type TicketModel, type WorkerModel } from './model.ts';
import type { Facts, Surroundings } from './surroundings.ts';

/** Checks what one append adds, and takes it into the model. */
export const checkAppend = (around: Surroundings, process: string, stored: readonly StoredEvent[]): void => {
  const batch: Facts[] = [];
  for (const each of stored) {
    const event = decode(each);
    if (event && isOfWorker(event)) batch.push(event);
    else if (event) noteJob(around.model, event);
  }
  for (const event of batch) check(around, process, event, batch);
};

const noteJob = ({ presenceJobs, workers }: Model, event: Recorded<OpslogEvent>): void => {
  const { subjectId } = event.meta;
  if (event.type === 'JobEnqueued' && event.data.kind.startsWith('edge.presence.'))
    presenceJobs.set(subjectId, event.data.subjectId);
  const worker = workers.get(presenceJobs.get(subjectId) ?? '');
  if (worker && (event.type === 'JobFailed' || event.type === 'JobSucceeded'))
    worker.presenceRefused = event.type === 'JobFailed';
};

const isOfWorker = (event: Recorded<OpslogEvent>): event is Facts => event.meta.category === 'edgeWorker';

const check = (around: Surroundings, process: string, event: Facts, batch: readonly Facts[]): void => {
  const { model, violate } = around;
  const { subjectId } = event.meta;
  if (event.type === 'EdgeWorkerCreated') {
    model.workers.set(subjectId, {
      ...{ workerId: subjectId, scriptName: event.data.scriptName, status: 'draft', retired: false, deleted: false },
      ...{ versions: [], history: [], newest: undefined, drift: undefined },
      ...{ departmentId: event.data.departmentId, liveTicketId: '', presenceRefused: false, settledAt: 0 },
    });
    return;
  }
  const worker = model.workers.get(subjectId);
  if (!worker) {
    violate('order', `${event.type} for a worker that was never created`);
    return;
  }
  if (worker.deleted && event.type !== 'EdgeWorkerScriptRemoved') violate('order', `${event.type} after its deletion`);
  if (isOfTicket(event)) {
    const ticket = model.tickets.get(event.data.ticketId);
    if (ticket) checkTicket(around, process, event, batch, worker, ticket);
    else violate('order', `${event.type} for a ticket that was never admitted`);
    return;
  }
  switch (event.type) {
    case 'RevisionSubmitted':
      worker.versions.push(event.data.versionId);
      if (event.data.revision !== worker.versions.length)
        violate('revisions', `revision ${event.data.revision} is out of turn`);
      return;
    case 'DeploymentAdmitted':
      checkAdmission(around, event, worker);
      return;
    case 'EdgeWorkerPaused':
      worker.status = 'paused';
      return;
    case 'EdgeWorkerResumed':
      worker.status = 'active';
      return;
    case 'EdgeWorkerRetired':
      worker.retired = true;
      checkGone(around, worker);
      return;
    case 'EdgeWorkerDeleted':
      worker.deleted = true;
      checkGone(around, worker);
      return;
    case 'EdgeWorkerDriftFound':
      worker.drift = event.data.found;
      return;
    case 'EdgeWorkerDriftSettled':
      worker.drift = undefined;
  }
};

const checkGone = ({ violate }: Surroundings, { newest, workerId }: WorkerModel): void => {
  if (isLive(newest))
    violate('goneSettles', `${workerId} is gone and its deployment ${newest.ticketId} is ${newest.status}`);
};

const checkAdmission = (
  { model, violate, wanted }: Surroundings,
  { data, meta }: Extract<Facts, { type: 'DeploymentAdmitted' }>,
  worker: WorkerModel,
): void => {
  const { ticketId, revision, kind } = data;
  if (isLive(worker.newest))
    violate('oneLive', `${ticketId} is admitted while ${worker.newest.ticketId} is ${worker.newest.status}`);
  if (model.tickets.has(ticketId)) violate('admittedOnce', `${ticketId} is admitted a second time`);
  if (worker.retired) violate('goneSettles', `${ticketId} is admitted for a worker that was retired`);
  const asked = wanted(meta.commandId);
  if (!asked && meta.actor.kind !== 'system')
    violate('idempotency', `${ticketId} was admitted under a key that nobody used`);
  const live = worker.history.at(-1) ?? 0;
  const newest = asked?.kind === 'rollback' ? worker.history.findLast((each) => each !== live) : worker.versions.length;
  const expected = asked?.revision || newest;
  if (asked && (revision !== expected || kind !== asked.kind))
    violate('target', `${ticketId} deploys revision ${revision}, asked for was ${expected}`);
  if (worker.versions[revision - 1] !== data.versionId)
    violate('target', `revision ${revision} is not ${data.versionId}`);
  const ticket: TicketModel = {
    ...{
      ticketId,
      workerId: worker.workerId,
      sequence: data.admissionSequence,
      versionId: data.versionId,
      revision,
      kind,
    },
    ...{ provider: data.provider, steps: data.steps, maxAttempts: data.maxAttempts, status: 'pending', reasonCode: '' },
    ...{ superseded: false, holder: '', leaseId: '', leasedUntil: 0, attempt: 0, uncertainStep: '' },
    ...{ done: new Set(), unclear: 0, probed: new Set(), public: false },
  };
  model.tickets.set(ticketId, ticket);
  worker.newest = ticket;
};
