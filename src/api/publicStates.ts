import { decodeAs } from '../commands/envelope.ts';
import { type Category, catalog } from '../domain/catalog.ts';
import { liveRevision } from '../domain/edgeWorker/index.ts';
import type { Decider, Message } from '../domain/kernel.ts';
import { isLive } from '../domain/webhook/index.ts';
import type { StoredEvent } from '../platform/eventLog/port.ts';
import { isoTime } from './models.ts';

/** What may be shown of a thing's state, field by field. */
export type PublicState = {
  readonly workspaceId: string;
  /** '' for one of the whole workspace. */
  readonly departmentId: string;
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
};

/** Stands for a secret: two are told apart by their versions, and nothing else of them is shown. */
export type Sealed = { readonly sealed: number };
const sealed = (version: number): Sealed => ({ sealed: version });
export const isSealed = (value: unknown): value is Sealed =>
  typeof value === 'object' && value !== null && 'sealed' in value;

export type Folding = {
  add(event: StoredEvent): void;
  /** Undefined: it is not there. */
  state(): PublicState | undefined;
};

const of =
  <Command, Event extends Message<string, object>, State, Code extends string>(
    decider: Decider<Command, Event, State, Code>,
    view: (state: State, id: string) => PublicState | undefined,
  ) =>
  (id: string): Folding => {
    let state = decider.initial;
    return {
      add: (stored) => {
        const event = decodeAs<Event>(decider, stored);
        if (event) state = decider.evolve(state, event);
      },
      state: () => view(state, id),
    };
  };

/** How each kind of thing is shown in a comparison of two times. `notCompared`: nothing that a workspace has. */
export const publicStates: { readonly [Name in Category]: ((id: string) => Folding) | 'notCompared' } = {
  workspace: of(catalog.workspace, (state, id) => {
    if (state.status !== 'active') return undefined;
    const { name, slug } = state;
    const members = [...state.members].map(([userId, rights]) => [`members.${userId}`, rights] as const);
    return { workspaceId: id, departmentId: '', name, fields: { name, slug, ...Object.fromEntries(members) } };
  }),
  department: of(catalog.department, (state, id) => {
    if (state.status !== 'active') return undefined;
    const { workspaceId, name, slug } = state;
    return { workspaceId, departmentId: id, name, fields: { name, slug } };
  }),
  apiToken: of(catalog.apiToken, (state) => {
    if (state.status !== 'active') return undefined;
    const { workspaceId, departmentId, name, role, expiresAt } = state;
    const fields = { name, role, departmentId, expiresAt: expiresAt === 0 ? null : isoTime(expiresAt) };
    return { workspaceId, departmentId, name, fields };
  }),
  invitation: of(catalog.invitation, (state) => {
    if (state.status === 'absent') return undefined;
    const { workspaceId, email, role, departmentIds, status } = state;
    return { workspaceId, departmentId: '', name: email, fields: { email, role, departmentIds, status } };
  }),
  edgeWorker: of(catalog.edgeWorker, (state) => {
    if (state.status === 'absent' || state.retired) return undefined;
    const { companyId: workspaceId, departmentId, scriptName: name, status, placement, drift, ticket } = state;
    const revisions = state.revisions.map((each) => [`revisions.${each.revision}`, each.state] as const);
    const deployment = ticket && {
      ...{ ticketId: ticket.ticketId, revision: ticket.revision, kind: ticket.kind, status: ticket.status },
    };
    const fields = {
      ...{ status, liveRevision: liveRevision(state), provider: placement?.provider ?? null },
      ...{ drift: drift?.found ?? null, deployment: deployment ?? null, ...Object.fromEntries(revisions) },
    };
    return { workspaceId, departmentId, name, fields };
  }),
  edgeSecret: of(catalog.edgeSecret, (state) => {
    if (state.status !== 'stored') return undefined;
    const { companyId: workspaceId, departmentId, name, newest } = state;
    return { workspaceId, departmentId, name, fields: { value: sealed(newest) } };
  }),
  edgeDomain: of(catalog.edgeDomain, (state) => {
    if (state.status === 'absent' || state.status === 'detached') return undefined;
    const { companyId: workspaceId, departmentId, hostname: name, status, provider, certificate } = state;
    const shown = certificate && {
      ...{ fingerprint: certificate.fingerprint, issuer: certificate.issuer, names: certificate.names },
      notAfter: isoTime(certificate.notAfter),
    };
    return { workspaceId, departmentId, name, fields: { status, provider, certificate: shown ?? null } };
  }),
  credential: of(catalog.credential, (state) => {
    if (state.status !== 'active') return undefined;
    const { workspaceId, departmentId, name, description, details, version } = state;
    return { workspaceId, departmentId, name, fields: { name, description, details, value: sealed(version) } };
  }),
  resource: of(catalog.resource, (state) => {
    // Under the id of a feature's thing there are tags alone; whose they are, their facts say.
    if (state.status === 'absent') {
      return state.tags.length === 0
        ? undefined
        : { workspaceId: '', departmentId: '', name: '', fields: { tags: state.tags } };
    }
    if (state.status !== 'active') return undefined;
    const { workspaceId, departmentId, name, kind, description, provider, notes, tags } = state;
    return { workspaceId, departmentId, name, fields: { name, kind, description, provider, notes, tags } };
  }),
  webhook: of(catalog.webhook, (state) => {
    if (!isLive(state)) return undefined;
    const { workspaceId, url, description, eventTypes, departmentIds, status, secret } = state;
    const fields = { url, description, eventTypes, departmentIds, status, secret: sealed(secret.version) };
    return { workspaceId, departmentId: '', name: description === '' ? url : description, fields };
  }),
  // Told of with both of its ends.
  resourceRelation: 'notCompared',
  // Work, and notes of it.
  job: 'notCompared',
  artifactCleanup: 'notCompared',
  credentialUse: 'notCompared',
  controlAudit: 'notCompared',
  // Of the installation.
  user: 'notCompared',
  session: 'notCompared',
  reservation: 'notCompared',
  edgeMaintenance: 'notCompared',
};
