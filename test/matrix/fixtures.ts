import { randomUUID } from 'node:crypto';
import { issue } from '../support/certificates.ts';
import type { Identifier, Role } from './document.ts';
import type { Instances } from './fullWorkspace.ts';

// What the matrix must be told of an operation, and of a kind of thing, that the API's description does not say.

export type OperationFixture = {
  /** A body that is right, with ids of one's own. */
  readonly body?: (own: Instances) => object;
  /** Of every request, where the answer says what was left out, such as the time of asking. */
  readonly query?: () => Readonly<Record<string, string>>;
  /** Problems that somebody who may can meet with ids of his own, because of how things stand. */
  readonly answers?: readonly string[];
  /** Where the description names none: what is needed once the thing is found. */
  readonly role?: Role;
  /** Only for who is not limited to departments. */
  readonly everywhere?: true;
  /** What a member limited to another department gets for ids of this one, below an address that names no department. */
  readonly elsewhere?: 403 | 404;
  /** What an API token gets, where only people may. */
  readonly apiToken?: 403 | 404;
  /** What its path names is of the caller alone, whatever workspace he is in. */
  readonly personal?: true;
  /** Identifiers that the caller makes up: any is as good as another. */
  readonly chosen?: readonly string[];
  /** Identifiers of what may be removed twice: the second time says what the first said, and adds nothing. */
  readonly again?: readonly string[];
  /** For an id in the body of what is not there, where it is not 404. */
  readonly unknownInBody?: 422;
};

const worker = { files: [{ path: 'index.ts', content: 'export default { fetch: () => new Response() };' }] };
const noInvitation = `opi_${'0'.repeat(80)}`;
const credential = { kind: 'apiToken', provider: 'cloudflare', token: 'a token that is new' };
const label = () => randomUUID().slice(0, 8);
/** When the first request was made: everything that the requests are about is there by then. */
let asked: string | undefined;
const firstAsked = (): string => {
  asked ??= new Date().toISOString();
  return asked;
};
const aDayBefore = (time: string) => new Date(Date.parse(time) - 86_400_000).toISOString();

/** One line per operation of the API. `{}`: nothing to say. */
export const operationFixtures: Readonly<Record<string, OperationFixture>> = {
  openSession: {
    body: () => ({ email: 'nobody@example.com', password: 'a wrong password' }),
    answers: ['CredentialsInvalid'],
  },
  closeSession: { apiToken: 404 },
  listSessions: { apiToken: 404 },
  revokeSession: { personal: true, apiToken: 404 },
  revokeOtherSessions: { apiToken: 404 },
  getMe: {},
  changePassword: {
    ...{ apiToken: 404, answers: ['CredentialsInvalid'] },
    body: () => ({ currentPassword: 'a wrong password', newPassword: 'another long password' }),
  },
  listWorkspaces: {},
  createWorkspace: { body: () => ({ name: 'New', slug: `new-${label()}` }), apiToken: 403 },
  getWorkspace: {},
  deleteWorkspace: { body: () => ({ confirm: 'not the slug' }), everywhere: true, answers: ['ConfirmationMismatch'] },
  listDepartments: {},
  createDepartment: { body: () => ({ name: 'New', slug: `new-${label()}` }), everywhere: true },
  getDepartment: {},
  removeDepartment: {},
  listMembers: {},
  changeMember: { body: ({ departmentId }) => ({ role: 'VIEWER', departmentIds: [departmentId] }), elsewhere: 403 },
  removeMember: { elsewhere: 403 },
  leaveWorkspace: { apiToken: 403 },
  listInvitations: {},
  inviteMember: {
    body: ({ departmentId }) => ({
      email: `${randomUUID()}@example.com`,
      role: 'VIEWER',
      departmentIds: [departmentId],
    }),
    elsewhere: 403,
  },
  revokeInvitation: { elsewhere: 403, again: ['invitationId'] },
  // Whoever has the token of an invitation may use it: it is no id. This one was never given out.
  showInvitation: { body: () => ({ token: noInvitation }), answers: ['InvitationNotFound'] },
  registerByInvitation: {
    body: () => ({ token: noInvitation, displayName: 'Nobody', password: 'a long password' }),
    answers: ['InvitationNotFound'],
  },
  acceptInvitation: { body: () => ({ token: noInvitation }), apiToken: 403, answers: ['InvitationNotFound'] },
  listApiTokens: {},
  issueApiToken: { body: ({ departmentId }) => ({ name: 'New', role: 'VIEWER', departmentId }), elsewhere: 403 },
  revokeApiToken: { elsewhere: 403 },
  listWorkers: {},
  getWorker: {},
  pauseWorker: {},
  resumeWorker: {},
  attachDomain: { body: () => ({ hostname: `new-${label()}.example.com` }) },
  listDomains: {},
  getDomain: {},
  detachDomain: { again: ['hostname'] },
  verifyDomain: {},
  putDomainCertificate: { body: ({ hostname }) => certificateFor(hostname) },
  removeDomainCertificate: {},
  reconcileWorkers: { everywhere: true },
  submitRevision: { body: ({ name }) => ({ ...worker, secretNames: [name] }), unknownInBody: 422 },
  listRevisions: {},
  getRevision: {},
  getRevisionSbom: {},
  getRevisionReceipt: {},
  deployRevision: { body: () => ({}) },
  listDeployments: {},
  rollBack: { body: () => ({}) },
  getDeployment: {},
  cancelDeployment: { role: 'MEMBER', answers: ['TicketSettled'] },
  getSchedules: {},
  putSecret: { body: () => ({ value: 'a value that is new' }), chosen: ['name'] },
  removeSecret: { again: ['name'] },
  listSecrets: {},
  readWorkerLogs: {},
  followWorkerLogs: {},
  listJobs: {},
  getJob: { elsewhere: 404 },
  cancelJob: { elsewhere: 404 },
  redriveJob: { elsewhere: 404, answers: ['JobNotDead'] },
  listCredentials: {},
  getCredential: { elsewhere: 404 },
  createCredential: {
    body: ({ departmentId }) => ({ name: `New ${label()}`, departmentId, value: credential }),
    elsewhere: 404,
  },
  replaceCredential: { body: () => ({ value: credential }), elsewhere: 404 },
  renameCredential: { body: () => ({ name: `New ${label()}` }), elsewhere: 404 },
  describeCredential: { body: () => ({ description: 'New' }), elsewhere: 404 },
  deleteCredential: { elsewhere: 404 },
  listResources: {},
  createResource: { body: ({ departmentId }) => ({ name: 'New', kind: 'printer', departmentId }), elsewhere: 404 },
  getResource: { elsewhere: 404 },
  describeResource: { body: () => ({ description: 'New' }), elsewhere: 404 },
  removeResource: { elsewhere: 404 },
  getResourceGraph: { elsewhere: 404 },
  tagResource: { body: () => ({ tags: ['new'] }), elsewhere: 404 },
  untagResource: { body: () => ({ tags: ['new'] }), elsewhere: 404 },
  listResourceRelations: {},
  relateResources: {
    body: ({ resourceId, workerId }) => ({ sourceId: resourceId, type: 'watches', targetId: workerId }),
    elsewhere: 404,
  },
  unrelateResources: { elsewhere: 404 },
  exportResources: {},
  listWebhooks: {},
  createWebhook: {
    body: ({ departmentId }) => ({
      url: 'https://hooks.example/new',
      eventTypes: ['*'],
      departmentIds: [departmentId],
    }),
    elsewhere: 404,
  },
  getWebhook: { elsewhere: 404 },
  reviseWebhook: {
    body: ({ departmentId }) => ({ description: 'New', departmentIds: [departmentId] }),
    elsewhere: 404,
  },
  removeWebhook: { elsewhere: 404 },
  pauseWebhook: { elsewhere: 404 },
  resumeWebhook: { elsewhere: 404 },
  rotateWebhookSecret: { elsewhere: 404 },
  listWebhookDeliveries: { elsewhere: 404 },
  getWebhookDelivery: { elsewhere: 404 },
  redriveWebhookDelivery: { elsewhere: 404, answers: ['JobNotDead'] },
  redriveWebhook: { elsewhere: 404 },
  testWebhook: { elsewhere: 404 },
  replayWebhook: {
    body: () => ({ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }),
    elsewhere: 404,
  },
  listAudit: {},
  getAuditHead: { everywhere: true },
  exportAudit: {},
  diffWorkspace: { query: () => ({ from: aDayBefore(firstAsked()), to: firstAsked() }) },
  listEvents: {},
  followEvents: {},
  getLive: {},
  getReady: {},
  getMetrics: {},
  getOpenApi: {},
  getDocs: {},
  getProblem: {},
};

const certificates = new Map<string, object>();
const certificateFor = (hostname: string): object => {
  const { certificate, privateKey } = issue([hostname]);
  const made = certificates.get(hostname) ?? { certificate, privateKey };
  certificates.set(hostname, made);
  return made;
};

export type Variant = 'own' | 'foreign' | 'deleted' | 'guessed' | 'otherKind';

/** What stands for a kind of thing. A reason in place of an id: there is no such thing. */
export type IdentifierFixture = {
  readonly own: string;
  readonly foreign: string;
  readonly deleted: string | { readonly never: string };
  readonly guessed: () => string;
};

export type Gone = Partial<Instances>;

/** One entry per name of an identifier, whatever operation it is in. */
export const identifierFixtures = (
  own: Instances,
  foreign: Instances,
  gone: Gone,
): Readonly<Record<string, IdentifierFixture>> => {
  const of = (name: keyof Instances, never = ''): IdentifierFixture => ({
    ...{ own: own[name], foreign: foreign[name] },
    deleted: gone[name] ?? { never },
    guessed: randomUUID,
  });
  return {
    workspaceId: of('workspaceId'),
    departmentId: of('departmentId'),
    userId: of('userId'),
    invitationId: of('invitationId'),
    tokenId: of('tokenId', 'A revoked token stays in the list, and may be revoked again.'),
    credentialId: of('credentialId'),
    sessionId: of('sessionId', 'An ended session may be ended again.'),
    revision: { ...of('revision', 'A revision is never deleted.'), guessed: () => '999' },
    ticketId: of('ticketId'),
    jobId: of('jobId', 'A job is never deleted.'),
    hostname: { ...of('hostname'), guessed: () => `${label()}.example.com` },
    name: { ...of('name'), guessed: () => `KEY_${label().toUpperCase()}` },
    resourceId: of('resourceId'),
    // The ends of an edge.
    sourceId: of('resourceId'),
    targetId: { ...of('workerId'), deleted: gone.resourceId ?? { never: '' } },
    relationId: of('relationId'),
    webhookId: of('webhookId'),
    deliveryId: of('deliveryId', 'A delivery is a job, and never deleted.'),
    // Only lists are asked for these, what they find was there at some time; any id that an event bore is as good.
    actorId: of('userId'),
    subjectId: of('workerId'),
    requestId: of('workerId'),
    correlationId: of('workerId'),
  };
};

/** In the graph departments and workers are resources, and a delivery is a job. */
const likeDepartments = new Set(['departmentId', 'resourceId', 'sourceId', 'targetId']);

/** The id of something that is there, and is something else. Texts and filters know no kinds. */
export const otherKindOf = ({ name, place, isUuid }: Identifier, own: Instances): string | undefined => {
  if (!isUuid || place === 'query') return undefined;
  if (likeDepartments.has(name)) return own.jobId;
  return name === 'deliveryId' ? own.jobId : own.departmentId;
};
