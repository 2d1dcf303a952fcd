import { sha256 } from '../../src/commands/envelope.ts';
import { edgeDomainId } from '../../src/domain/identifiers.ts';
import type { Queries } from '../../src/projections/queries.ts';
import type { FullWorkspace } from './fullWorkspace.ts';

/** A workspace with one of everything and the positions of its events. */
export type Side = FullWorkspace & {
  readonly newest: number;
  readonly positions: ReadonlySet<number>;
};
/** Two of them in one database; `me` asks and must see nothing of `other`. */
export type Sides = { readonly me: Side; readonly other: Side };
type Question = (queries: Queries) => Promise<unknown>;

export type QueryFixture =
  | {
      /** What is asked for `me`: for lists all of it, for one thing by id the other's id, too. */
      readonly asks: (sides: Sides) => readonly Question[];
      /** Comparisons, counted from 0, that add nothing to the others, and why they may stay. */
      readonly redundant?: Readonly<Record<number, string>>;
    }
  | {
      /** Why it asks across tenants. */
      readonly across: string;
      /** Why the API may ask it all the same. */
      readonly api?: string;
    };

const page = { limit: 200 };
const workspace = ({ ids }: FullWorkspace) => ({ workspaceId: ids.workspaceId });
const company = ({ ids }: FullWorkspace) => ({ companyId: ids.workspaceId });

/** What is one's own, and the same by ids of the other: neither may show anything of the other. */
const inDepartment =
  (ask: (queries: Queries, args: { companyId: string; departmentId: string }, of: FullWorkspace) => Promise<unknown>) =>
  ({ me, other }: Sides): readonly Question[] =>
    [me, other].map((of) => (queries) => ask(queries, { ...company(me), departmentId: of.ids.departmentId }, of));

const byId =
  (ask: (queries: Queries, mine: { workspaceId: string }, of: FullWorkspace) => Promise<unknown>) =>
  ({ me, other }: Sides): readonly Question[] =>
    [me, other].map((of) => (queries) => ask(queries, workspace(me), of));

const all =
  (ask: (queries: Queries, mine: { workspaceId: string }) => Promise<unknown>) =>
  ({ me }: Sides): readonly Question[] => [(queries) => ask(queries, workspace(me))];

const departmentsOfMine = 'The departments that it is asked for are looked up by the tenant already.';
const workersOfMine = 'The workers that it is asked for are of the tenant already.';

const endsOfMine = 'An edge and both its ends are of one tenant, and each of the three is asked for it.';
const walk = { depth: 1, direction: 'both', maxNodes: 100, maxEdges: 100 } as const;
const viewOf = (me: FullWorkspace) => ({ ...workspace(me), role: 'OWNER' }) as const;
/** The graph of now, and as it was at a position. */
const views = (me: Side) => [viewOf(me), { ...viewOf(me), moment: { position: me.newest } }] as const;

/** One entry per query: the compiler misses none. */
export const queryFixtures: { readonly [Name in keyof Queries]: QueryFixture } = {
  importedPasswordCosts: { across: 'At the start, for whoever signs people in: numbers.' },
  user: { across: 'A user is of no workspace.', api: 'By the id of the caller.' },
  workspacesOfUser: { across: 'All workspaces of one user.', api: 'By the id of the caller.' },
  sessionsOfUser: { across: 'A session is of a user, of no workspace.', api: 'By the id of the caller.' },
  workspace: {
    asks: all((queries, mine) => queries.workspace(mine).then((found) => found && { ...found, workspaceId: found.id })),
  },
  members: { asks: all((queries, mine) => queries.members({ ...page, ...mine })) },
  member: { asks: byId((queries, mine, { ids }) => queries.member({ ...mine, userId: ids.userId })) },
  departments: { asks: all((queries, mine) => queries.departments({ ...page, ...mine })) },
  department: {
    asks: byId((queries, mine, { ids }) => queries.department({ ...mine, departmentId: ids.departmentId })),
  },
  apiTokens: { asks: all((queries, mine) => queries.apiTokens({ ...page, ...mine })) },
  apiToken: { asks: byId((queries, mine, { ids }) => queries.apiToken({ ...mine, tokenId: ids.tokenId })) },
  invitations: { asks: all((queries, mine) => queries.invitations({ ...page, ...mine })) },
  tokensIssuedBy: {
    asks: byId((queries, mine, { ownerId }) => queries.tokensIssuedBy({ ...mine, userId: ownerId })),
  },

  workers: {
    asks: ({ me }) => [(queries) => queries.workers({ ...page, ...company(me) })],
    redundant: { 0: departmentsOfMine, 1: departmentsOfMine, 2: workersOfMine, 3: workersOfMine },
  },
  worker: { asks: inDepartment((queries, args) => queries.worker(args)) },
  revisions: { asks: inDepartment((queries, args) => queries.revisions({ ...page, ...args })) },
  revision: { asks: inDepartment((queries, args) => queries.revision({ ...args, revision: 1 })) },
  deployments: { asks: inDepartment((queries, args) => queries.deployments({ ...page, ...args })) },
  liveDeployment: { asks: inDepartment((queries, args) => queries.liveDeployment(args)) },
  ticket: { across: 'By id alone.', api: 'It looks at the tenant that the answer names before it shows anything.' },

  secrets: { asks: inDepartment((queries, args) => queries.secrets({ ...page, ...args })) },
  readableSecrets: { asks: ({ me }) => [(queries) => queries.readableSecrets(company(me))] },
  credentials: { asks: all((queries, mine) => queries.credentials({ ...page, ...mine })) },
  credential: {
    asks: byId((queries, mine, { ids }) => queries.credential({ ...mine, credentialId: ids.credentialId })),
  },
  activeCredentials: { asks: all((queries, mine) => queries.activeCredentials(mine)) },
  domains: { asks: inDepartment((queries, args) => queries.domains({ ...page, ...args })) },
  domain: {
    asks: inDepartment((queries, args, { ids }) =>
      queries.domain({ ...args, domainId: edgeDomainId(sha256, ids.hostname) }),
    ),
  },
  domainsOfWorker: {
    asks: inDepartment((queries, { companyId }, { ids }) =>
      queries.domainsOfWorker({ companyId, workerId: ids.workerId }),
    ),
  },
  domainsAt: { across: 'For the edge node.' },
  certificatesEndingBefore: { across: 'For metrics: a number.' },

  jobs: { asks: all((queries, mine) => queries.jobs({ ...page, ...mine, role: 'OWNER' })) },
  job: { asks: byId((queries, mine, { ids }) => queries.job({ ...mine, role: 'OWNER', jobId: ids.jobId })) },
  dueJobs: { across: 'For the runner.' },
  jobCounts: { across: 'For metrics: numbers.' },

  resources: {
    asks: ({ me }) => [
      ...views(me).map((view) => (queries: Queries) => queries.resources({ ...page, ...view })),
      (queries) => queries.resources({ ...page, ...viewOf(me), tag: 'shared' }),
    ],
    redundant: { 1: 'A tag is looked up for what is of the tenant already.' },
  },
  resource: {
    asks: ({ me, other }) =>
      [me, other].flatMap(({ ids }) =>
        views(me).map((view) => (queries) => queries.resource({ ...view, resourceId: ids.departmentId })),
      ),
  },
  relations: {
    asks: ({ me }) => views(me).map((view) => (queries) => queries.relations({ ...page, ...view })),
    redundant: { 0: endsOfMine, 1: endsOfMine, 2: endsOfMine },
  },
  relation: {
    asks: ({ me, other }) =>
      [me, other].flatMap(({ ids: { relationId } }) =>
        views(me).map((view) => (queries) => queries.relation({ ...view, relationId })),
      ),
    redundant: { 0: endsOfMine, 1: endsOfMine, 2: endsOfMine },
  },
  graphFrom: {
    asks: ({ me, other }) =>
      [me, other].flatMap(({ ids }) =>
        views(me).map((view) => (queries) => queries.graphFrom({ ...view, ...walk, resourceId: ids.departmentId })),
      ),
    redundant: { 1: endsOfMine, 2: endsOfMine, 3: endsOfMine, 4: endsOfMine },
  },
  graphPosition: {
    across: 'How far the log was followed.',
    api: 'A whole graph is read at one position, in pages of one tenant.',
  },
  webhooks: { asks: all((queries, mine) => queries.webhooks(mine)) },
  webhook: { asks: byId((queries, mine, { ids }) => queries.webhook({ ...mine, webhookId: ids.webhookId })) },
  webhookSubscriptions: { across: 'For whoever turns events into deliveries.' },
  webhookCounts: { across: 'For metrics: numbers.' },

  audit: { asks: all((queries, mine) => queries.audit({ ...page, ...mine })) },
  auditExport: {
    asks: all((queries, mine) => queries.auditExport({ ...mine, after: 0, upTo: 1_000_000, limit: 1_000 })),
  },
  auditHead: { asks: all((queries, mine) => queries.auditHead(mine).then(({ position }) => position)) },
  auditedAt: { across: 'For whoever proves the trail: whether an event is in it.' },
  pastPosition: {
    asks: all((queries, mine) =>
      queries.pastPosition({ ...mine, at: Date.UTC(2_900, 0) }).then((then) => then?.position),
    ),
  },
  positionsBetween: {
    // Where it begins is the position of whatever came before, which says nothing of whose it is.
    asks: all((queries, mine) =>
      queries
        .positionsBetween({ ...mine, fromMs: 0, toMs: Date.UTC(2_900, 0) })
        .then((found) => found && Number(found.last)),
    ),
  },
  changedThings: {
    asks: all((queries, mine) =>
      queries.changedThings({
        ...page,
        ...mine,
        since: 0,
        upTo: Number.MAX_SAFE_INTEGER - 1,
        hidden: ['workspace'],
        role: 'OWNER',
      }),
    ),
    redundant: { 3: 'The ids that it asks for were found by the tenant.' },
  },
  pastStreams: {
    asks: all((queries, mine) =>
      queries.pastStreams({ ...mine, position: Number.MAX_SAFE_INTEGER, after: 0, limit: 1_000 }),
    ),
  },
  feed: { asks: all((queries, mine) => queries.feed({ ...page, ...mine, role: 'OWNER', after: 0 })) },
  feedEnd: { asks: all((queries, mine) => queries.feedEnd(mine)) },
  feedChanges: { across: 'For whoever wakes readers of feeds.', api: 'It wakes readers, who then ask for their own.' },
  newestEvent: { across: 'For whoever wakes readers of feeds: a position.', api: 'It shows it to nobody.' },

  dueTickets: { across: 'For the runner.' },
  scopes: {
    across: 'Names of places, which are of no tenant.',
    api: 'It closes the gate when its own place is missing.',
  },
  leasedDeployments: { across: 'For a backup.' },
  nextDueAt: { across: 'For the runner: a time.' },
  liveWorkers: { across: 'For the runner.' },
  deployedWorkers: { across: 'For the edge node.' },
  scheduledWorkers: { across: 'For the scheduler.' },
  scripts: { asks: ({ me }) => [(queries) => queries.scripts(company(me))] },
  providersUsed: { across: 'By the id of a worker that is taken down.' },
  referencedDigests: { across: 'For artifact cleanup: tenants may share what is equal.' },
};
