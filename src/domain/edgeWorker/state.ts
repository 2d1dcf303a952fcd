import type {
  DeploymentKind,
  EdgeWorkerEvent,
  Facts,
  PinnedSecret,
  Placement,
  RevisionFacts,
  Schedule,
  SettledState,
} from './events.ts';

export type RevisionState =
  | 'ready'
  | 'deploy_pending'
  | 'deploying'
  | 'deployed'
  | 'superseded'
  | 'failed'
  | 'uncertain';

/** What a deployment needs of a revision; the rest of its facts stays in the log. */
export type Revision = Pick<
  RevisionFacts,
  'versionId' | 'revision' | 'bundleDigest' | 'compatibilityDate' | 'compatibilityFlags' | 'variables'
> & {
  readonly state: RevisionState;
  readonly evidence: boolean;
  /** Its source and bundle are no longer kept. */
  readonly released: boolean;
  readonly secrets: readonly PinnedSecret[];
  readonly schedules: readonly Schedule[];
};

export type TicketStatus = 'pending' | 'leased' | 'uncertain' | 'completed' | 'failed' | 'cancelled';

/** A deployment on its way or settled; only the newest ticket of a worker can be alive. */
export type Ticket = {
  readonly ticketId: string;
  readonly versionId: string;
  readonly revision: number;
  readonly kind: DeploymentKind;
  readonly provider: string;
  readonly scope: string;
  readonly status: TicketStatus;
  readonly steps: readonly string[];
  /** Steps in effect in this attempt; every attempt walks them all and recognises what an earlier one did. */
  readonly done: readonly string[];
  /** Facts that done steps left, of every attempt: ids of what was made outside. */
  readonly ledger: Facts;
  readonly records: number;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly leaseId: string;
  readonly holder: string;
  readonly leasedUntil: number;
  readonly nextAttemptAt: number;
  /** The step that may have happened and must be looked at before it is done again; '' when there is none. */
  readonly uncertainStep: string;
  readonly cancelRequested: boolean;
  /** State of the revision before this deployment touched it. */
  readonly before: SettledState;
  readonly dedupeKey: string;
};

export type LiveWorker = {
  readonly status: 'draft' | 'active' | 'paused';
  readonly companyId: string;
  readonly departmentId: string;
  readonly scriptName: string;
  readonly revisions: readonly Revision[];
  /** Revisions in the order in which they went live, newest last. */
  readonly history: readonly number[];
  readonly ticket: Ticket | undefined;
  /** Ids of the newest tickets, oldest first: none of them is admitted a second time, however late its request comes again. */
  readonly tickets: readonly string[];
  readonly admissions: number;
  /** Where its live revision runs; undefined before the first deployment and after its script was taken down. */
  readonly placement: Placement | undefined;
  readonly retired: boolean;
  /** What a reconciliation found the provider to run instead. */
  readonly drift: { readonly kind: string; readonly expected: string; readonly found: string } | undefined;
};

/** Never there, or gone with its company: `was` keeps what whoever cleans up needs. */
export type AbsentWorker = {
  readonly status: 'absent';
  readonly was?: { readonly scriptName: string; readonly placement: Placement | undefined };
};
export type EdgeWorker = AbsentWorker | LiveWorker;

/** Of a snapshot that this very version wrote: a look at its outline is enough to tell it from something else. */
export const isEdgeWorker = (value: unknown): value is EdgeWorker =>
  typeof value === 'object' &&
  value !== null &&
  'status' in value &&
  (value.status === 'absent' ||
    ('revisions' in value && 'history' in value && 'admissions' in value && 'tickets' in value));

export const initial: EdgeWorker = { status: 'absent' };

export const isAlive = (ticket: Ticket | undefined): ticket is Ticket =>
  ticket !== undefined && (ticket.status === 'pending' || ticket.status === 'leased' || ticket.status === 'uncertain');

export const liveRevision = (worker: LiveWorker): number => worker.history.at(-1) ?? 0;

const settled = (state: RevisionState): SettledState =>
  state === 'ready' || state === 'deployed' || state === 'superseded' ? state : 'failed';

const withState = (worker: LiveWorker, versionId: string, state: RevisionState): LiveWorker => ({
  ...worker,
  revisions: worker.revisions.map((each) => (each.versionId === versionId ? { ...each, state } : each)),
});

const withTicket = (worker: LiveWorker, ticketId: string, change: Partial<Ticket>): LiveWorker =>
  worker.ticket?.ticketId === ticketId ? { ...worker, ticket: { ...worker.ticket, ...change } } : worker;

export const evolve = (state: EdgeWorker, event: EdgeWorkerEvent): EdgeWorker => {
  if (event.type === 'EdgeWorkerCreated') {
    return {
      status: 'draft',
      ...event.data,
      revisions: [],
      history: [],
      ticket: undefined,
      tickets: [],
      admissions: 0,
      placement: undefined,
      retired: false,
      drift: undefined,
    };
  }
  if (state.status === 'absent') return evolveAbsent(state, event);
  return event.type === 'EdgeWorkerDeleted'
    ? { status: 'absent', was: { scriptName: state.scriptName, placement: state.placement } }
    : evolveWorker(state, event);
};

const evolveAbsent = (state: AbsentWorker, event: EdgeWorkerEvent): AbsentWorker =>
  state.was && event.type === 'EdgeWorkerScriptRemoved'
    ? { ...state, was: { ...state.was, placement: undefined } }
    : state;

const evolveWorker = (
  worker: LiveWorker,
  event: Exclude<EdgeWorkerEvent, { type: 'EdgeWorkerCreated' | 'EdgeWorkerDeleted' }>,
): LiveWorker => {
  switch (event.type) {
    case 'RevisionSubmitted': {
      return { ...worker, revisions: [...worker.revisions, revisionOf(event.data)] };
    }
    case 'DeploymentAdmitted':
      return admitted(worker, event.data);
    case 'DeploymentLeased': {
      const { ticketId, versionId, ...lease } = event.data;
      return withState(withTicket(worker, ticketId, { ...lease, status: 'leased', done: [] }), versionId, 'deploying');
    }
    case 'DeploymentLeaseRenewed':
      return withTicket(worker, event.data.ticketId, { leasedUntil: event.data.leasedUntil });
    case 'DeploymentStepRecorded':
      return stepRecorded(worker, event.data);
    case 'DeploymentRetryScheduled': {
      const { ticketId, versionId, nextAttemptAt } = event.data;
      return withState(withTicket(worker, ticketId, { status: 'pending', nextAttemptAt }), versionId, 'deploy_pending');
    }
    case 'DeploymentBecameUncertain': {
      const { ticketId, versionId, step, nextAttemptAt } = event.data;
      const change = { status: 'uncertain', uncertainStep: step, nextAttemptAt } as const;
      return withState(withTicket(worker, ticketId, change), versionId, 'uncertain');
    }
    case 'DeploymentCompleted':
      return completed(worker, event.data);
    case 'DeploymentFailed': {
      const { ticketId, versionId, revisionState } = event.data;
      return withState(withTicket(worker, ticketId, { status: 'failed' }), versionId, revisionState);
    }
    case 'DeploymentCancelRequested':
      return withTicket(worker, event.data.ticketId, { cancelRequested: true });
    case 'DeploymentCancelled': {
      const { ticketId, versionId, revisionState } = event.data;
      return withState(withTicket(worker, ticketId, { status: 'cancelled' }), versionId, revisionState);
    }
    case 'EdgeWorkerPaused':
      return { ...worker, status: 'paused' };
    case 'EdgeWorkerResumed':
      return { ...worker, status: 'active' };
    case 'EdgeWorkerRetired':
      return { ...worker, retired: true };
    case 'EdgeWorkerScriptRemoved':
      return { ...worker, placement: undefined };
    case 'EdgeWorkerDriftFound': {
      const { kind, expected, found } = event.data;
      return { ...worker, drift: { kind, expected, found } };
    }
    case 'EdgeWorkerDriftSettled':
      return { ...worker, drift: undefined };
    case 'RevisionArtifactsReleased': {
      const released = new Set(event.data.versionIds);
      const mark = (each: Revision): Revision => (released.has(each.versionId) ? { ...each, released: true } : each);
      return { ...worker, revisions: worker.revisions.map(mark) };
    }
    default:
      event satisfies never;
      return worker;
  }
};

type DataOf<Type extends EdgeWorkerEvent['type']> = Extract<EdgeWorkerEvent, { type: Type }>['data'];

const revisionOf = (facts: RevisionFacts): Revision => {
  const { versionId, revision, bundleDigest, compatibilityDate, compatibilityFlags, variables } = facts;
  const evidence = facts.sbom !== '' && facts.buildReceipt !== '';
  const pinned = { versionId, revision, bundleDigest, compatibilityDate, compatibilityFlags, variables };
  const { secrets = [], schedules = [] } = facts;
  return { ...pinned, secrets, schedules, state: 'ready', evidence, released: false };
};

const rememberedTickets = 1_000;

const admitted = (worker: LiveWorker, data: DataOf<'DeploymentAdmitted'>): LiveWorker => {
  const { ticketId, versionId, revision, kind, provider, scope, steps, dedupeKey, maxAttempts } = data;
  const before = settled(worker.revisions.find((each) => each.versionId === versionId)?.state ?? 'failed');
  const ticket: Ticket = {
    ...{ ticketId, versionId, revision, kind, provider, scope, steps, dedupeKey, maxAttempts, before },
    ...{
      status: 'pending',
      done: [],
      ledger: {},
      records: 0,
      attempt: 0,
      leaseId: '',
      holder: '',
      leasedUntil: 0,
      nextAttemptAt: 0,
    },
    ...{ uncertainStep: '', cancelRequested: false },
  };
  const tickets = [...worker.tickets, ticketId].slice(-rememberedTickets);
  return withState({ ...worker, ticket, tickets, admissions: data.admissionSequence }, versionId, 'deploy_pending');
};

const stepRecorded = (worker: LiveWorker, data: DataOf<'DeploymentStepRecorded'>): LiveWorker => {
  const ticket = worker.ticket;
  if (ticket?.ticketId !== data.ticketId) return worker;
  const done = data.outcome === 'done' ? [...ticket.done, data.step] : ticket.done;
  const uncertainStep = data.outcome !== 'uncertain' && ticket.uncertainStep === data.step ? '' : ticket.uncertainStep;
  const ledger = data.outcome === 'done' && data.facts ? { ...ticket.ledger, ...data.facts } : ticket.ledger;
  return { ...worker, ticket: { ...ticket, done, ledger, uncertainStep, records: data.sequence } };
};

const completed = (worker: LiveWorker, data: DataOf<'DeploymentCompleted'>): LiveWorker => {
  const superseded = data.supersededVersionId ? withState(worker, data.supersededVersionId, 'superseded') : worker;
  const live = withState(withTicket(superseded, data.ticketId, { status: 'completed' }), data.versionId, 'deployed');
  const { ticket } = live;
  const placement = ticket ? { provider: ticket.provider, scope: ticket.scope } : worker.placement;
  const history = [...live.history, data.revision];
  return { ...live, status: data.workerStatus, history, placement, drift: undefined };
};
