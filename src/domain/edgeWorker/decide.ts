import { type Decision, type Rejection, reject } from '../kernel.ts';
import type { AdmitDeployment, EdgeWorkerCommand, EdgeWorkerRejection, SubmitRevision } from './commands.ts';
import type { EdgeWorkerEvent, Placement } from './events.ts';
import { type RetentionRule, releasable } from './retention.ts';
import { type EdgeWorker, isAlive, type LiveWorker, liveRevision, type Revision } from './state.ts';
import { decideTicket, superseded, withdrawn } from './ticket.ts';

type Outcome = Decision<EdgeWorkerEvent, EdgeWorkerRejection>;
type DriftData = Extract<EdgeWorkerEvent, { type: 'EdgeWorkerDriftFound' }>['data'];

export const decide = (command: EdgeWorkerCommand, state: EdgeWorker): Outcome => {
  if (command.type === 'SubmitRevision') return submit(command.data, state);
  if (state.status === 'absent') {
    if (command.type === 'DeleteEdgeWorker' || command.type === 'RetireEdgeWorker') return [];
    if (state.was && command.type === 'ConfirmScriptRemoval') return confirmRemoval(command.data, state.was.placement);
    return reject('EdgeWorkerNotFound', 'This department has no edge worker yet. Submit a revision first.');
  }
  switch (command.type) {
    case 'AdmitDeployment':
      return admit(command.data, state);
    case 'PauseEdgeWorker':
      return pause(state);
    case 'ResumeEdgeWorker':
      return resume(state);
    case 'RetireEdgeWorker':
      return state.retired
        ? []
        : [...withdrawn(state, 'worker_retired'), { type: 'EdgeWorkerRetired', data: command.data }];
    case 'ConfirmScriptRemoval':
      return confirmRemoval(command.data, state.placement);
    case 'DeleteEdgeWorker': {
      const data = { reason: command.data.reason, scriptName: state.scriptName };
      return [...withdrawn(state, 'worker_deleted'), { type: 'EdgeWorkerDeleted', data }];
    }
    case 'RecordEdgeWorkerDrift':
      return recordDrift(command.data, state);
    case 'SettleEdgeWorkerDrift':
      return state.drift ? [{ type: 'EdgeWorkerDriftSettled', data: command.data }] : [];
    case 'ReleaseRevisionArtifacts':
      return release(command.data, state);
    case 'LeaseDeployment':
    case 'RenewDeploymentLease':
    case 'ReportDeploymentStep':
    case 'RequestDeploymentCancel':
    case 'ConfirmDeploymentCancel':
      return decideTicket(command, state);
  }
};

const submit = (data: SubmitRevision['data'], state: EdgeWorker): Outcome => {
  const { companyId, departmentId, scriptName, ...facts } = data;
  if (state.status === 'absent') {
    if (state.was) return retired();
    return [
      { type: 'EdgeWorkerCreated', data: { companyId, departmentId, scriptName } },
      { type: 'RevisionSubmitted', data: { ...facts, revision: 1 } },
    ];
  }
  if (state.revisions.some((each) => each.versionId === facts.versionId)) return [];
  if (state.retired) return retired();
  return [{ type: 'RevisionSubmitted', data: { ...facts, revision: state.revisions.length + 1 } }];
};

const admit = (data: AdmitDeployment['data'], worker: LiveWorker): Outcome => {
  if (worker.ticket?.ticketId === data.ticketId) return [];
  if (worker.tickets.includes(data.ticketId)) {
    const { ticketId } = data;
    return reject('TicketSettled', `Deployment ${ticketId} was admitted before and has settled.`, {
      details: { ticketId },
    });
  }
  if (data.gate === 'closed') {
    return reject('EdgeWorkersMaintenance', 'Edge workers are under maintenance. Try again when it has ended.');
  }
  if (worker.retired) return retired();
  const makesWay = isAlive(worker.ticket) && worker.ticket.status === 'pending' && data.supersede;
  if (isAlive(worker.ticket) && !makesWay) {
    const { ticketId, status } = worker.ticket;
    const reason = `Deployment ${ticketId} is ${status}. Wait for it to settle, or cancel it.`;
    return reject('DeploymentAlive', reason, { details: { ticketId } });
  }
  if (worker.status === 'paused')
    return reject('EdgeWorkerPaused', 'The worker is paused. Resume it before deploying.');
  if (worker.placement && worker.placement.provider !== data.provider) {
    const { provider } = worker.placement;
    return reject('EdgeWorkerPlacedElsewhere', `This worker runs on ${provider}. Deploy it there.`, {
      field: 'provider',
      details: { provider },
    });
  }
  const target = targetOf(data, worker);
  if ('rejected' in target) return target;
  if (target.released) return gone(target.revision);
  if (!target.evidence) {
    return reject('RevisionEvidenceMissing', `Revision ${target.revision} has no build evidence. Submit it again.`);
  }
  const { gate: _, supersede: __, ...facts } = data;
  const { versionId, revision } = target;
  return [
    ...(makesWay && worker.ticket ? [superseded(worker.ticket)] : []),
    { type: 'DeploymentAdmitted', data: { ...facts, versionId, revision, admissionSequence: worker.admissions + 1 } },
  ];
};

const targetOf = (data: AdmitDeployment['data'], worker: LiveWorker): Revision | Rejection<EdgeWorkerRejection> => {
  const wanted =
    data.revision !== 0 ? data.revision : data.kind === 'deploy' ? worker.revisions.length : previous(worker);
  const found = worker.revisions.find((each) => each.revision === wanted);
  if (data.kind === 'rollback' && (wanted === 0 || (found && !worker.history.includes(wanted)))) {
    return reject('RollbackTargetMissing', 'There is no earlier revision that was live. Deploy a revision instead.', {
      field: 'revision',
    });
  }
  return found ?? reject('RevisionNotFound', `This worker has no revision ${wanted}.`, { field: 'revision' });
};

/** The newest revision that was live before the one that is live now; 0 when there is none. */
const previous = (worker: LiveWorker): number =>
  worker.history.findLast((revision) => revision !== liveRevision(worker)) ?? 0;

const pause = (worker: LiveWorker): Outcome => {
  if (worker.status === 'paused') return [];
  if (worker.retired) return retired();
  if (worker.status === 'draft') return notDeployed();
  return [{ type: 'EdgeWorkerPaused', data: {} }];
};

const resume = (worker: LiveWorker): Outcome => {
  if (worker.status === 'active') return [];
  if (worker.retired) return retired();
  if (worker.status === 'draft') return notDeployed();
  return [{ type: 'EdgeWorkerResumed', data: {} }];
};

/** Once per place; what was never deployed there was nobody's to take down. */
const confirmRemoval = (where: Placement, placement: Placement | undefined): Outcome =>
  placement?.provider === where.provider ? [{ type: 'EdgeWorkerScriptRemoved', data: where }] : [];

const recordDrift = (found: DriftData, worker: LiveWorker): Outcome => {
  const known = worker.drift;
  // A deployment under way is about to make it what it should be, or to find out itself.
  if (isAlive(worker.ticket) || worker.retired || worker.status === 'draft') return [];
  if (known?.kind === found.kind && known.found === found.found && known.expected === found.expected) return [];
  return [{ type: 'EdgeWorkerDriftFound', data: found }];
};

const release = (keep: RetentionRule, worker: LiveWorker): Outcome => {
  const versionIds = releasable(worker, keep).map((each) => each.versionId);
  return versionIds.length === 0 ? [] : [{ type: 'RevisionArtifactsReleased', data: { versionIds } }];
};

const gone = (revision: number) =>
  reject('RevisionRetired', `Revision ${revision} is past retention and no longer kept. Submit its source again.`, {
    field: 'revision',
  });

const retired = () =>
  reject(
    'EdgeWorkerRetired',
    'The department of this worker was removed. A worker of a removed department stays down.',
  );

const notDeployed = () =>
  reject('EdgeWorkerNotDeployed', 'The worker has never been deployed. Deploy a revision first.');
