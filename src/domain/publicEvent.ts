import type { Category } from './catalog.ts';
import { type Actor, clip, type EventMeta, type Message, type Recorded } from './kernel.ts';
import { maskJson } from './masking.ts';
import { atLeast, type Role } from './roles.ts';

/**
 * A fact as the world outside sees it: on NATS, in the feed of a workspace, in a webhook. CloudEvents 1.0 in structured
 * mode; extensions in lower case, as the specification wants them. Nothing here says where a caller called from.
 */
export type PublicEvent = {
  readonly specversion: '1.0';
  /** Id of the event in the log: the key by which a consumer recognises a second delivery. */
  readonly id: string;
  /** `/opslog/<category>/<id of the subject>` */
  readonly source: string;
  /** `opslog.<category>.<Event>` */
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly data: unknown;
  /** Commit position in the log, decimal: it may be beyond what a double holds. */
  readonly position: string;
  /** Counts the events of one subject from 0. */
  readonly revision: number;
  readonly workspaceid?: string;
  readonly departmentid?: string;
  readonly correlationid?: string;
  readonly causationid?: string;
  /** `user`, `apiToken` or `system`, and its id. */
  readonly actortype?: string;
  readonly actorid?: string;
};

/** Longer texts of an event, such as an SBOM, are evidence of their own and stay out of what is told to others. */
export const publicStringLength = 8_192;

/** The payload of an event as it may be shown: secrets masked, long texts left out. */
export const publicData = (data: unknown): unknown => maskJson(data, { maxStringLength: publicStringLength });

export type PublicFacts = Pick<
  EventMeta,
  | 'eventId'
  | 'category'
  | 'subjectId'
  | 'revision'
  | 'recordedAt'
  | 'workspaceId'
  | 'departmentId'
  | 'correlationId'
  | 'causationId'
> & {
  readonly type: string;
  readonly position: bigint | number;
  readonly actor: Actor | { readonly kind: string; readonly id: string };
  /** Masked already, by `publicData`. */
  readonly data: unknown;
};

export const publicEvent = (facts: PublicFacts): PublicEvent => ({
  specversion: '1.0',
  id: facts.eventId,
  source: short(`/opslog/${facts.category}/${encodeURIComponent(facts.subjectId)}`),
  type: short(`opslog.${facts.category}.${facts.type}`),
  subject: short(facts.subjectId),
  time: new Date(facts.recordedAt).toISOString(),
  datacontenttype: 'application/json',
  data: facts.data,
  position: facts.position.toString(),
  revision: facts.revision,
  ...extension('workspaceid', facts.workspaceId),
  ...extension('departmentid', facts.departmentId),
  ...extension('correlationid', facts.correlationId),
  ...extension('causationid', facts.causationId),
  ...extension('actortype', facts.actor.id === '' ? '' : facts.actor.kind),
  ...extension('actorid', facts.actor.id),
});

/** A decoded fact in its public form. */
export const toPublicEvent = (event: Recorded<Message<string, object>>): PublicEvent =>
  publicEvent({ ...event.meta, type: event.type, data: publicData(event.data) });

/** Nothing of ours is as long; what another writer left in the log must not make a message that nobody takes. */
const short = (text: string): string => (text.length <= 1_024 ? text : `${clip(text, 1_023)}…`);

// An attribute that is not there is absent: the specification allows no empty ones.
const extension = <Name extends string>(name: Name, value: string): { readonly [Key in Name]?: string } => {
  const present: { [Key in Name]?: string } = {};
  if (value !== '') present[name] = short(value);
  return present;
};

/**
 * Who of a workspace is told of a category's events: the lowest role, or nobody, because they are about the platform
 * itself, or for the auditor's eyes. An event of no workspace is told to nobody, whatever its category.
 */
const audiences: Readonly<Record<Category, Role | 'nobody'>> = {
  user: 'nobody',
  session: 'nobody',
  workspace: 'VIEWER',
  department: 'VIEWER',
  apiToken: 'ADMIN',
  invitation: 'ADMIN',
  reservation: 'nobody',
  edgeWorker: 'VIEWER',
  edgeSecret: 'VIEWER',
  edgeDomain: 'VIEWER',
  edgeMaintenance: 'nobody',
  artifactCleanup: 'nobody',
  // Refusals tell who tried what: they are in the audit trail.
  controlAudit: 'nobody',
  // What may be known of a credential is for those who keep it.
  credential: 'ADMIN',
  credentialUse: 'ADMIN',
  resource: 'VIEWER',
  resourceRelation: 'VIEWER',
  job: 'VIEWER',
  webhook: 'ADMIN',
};

export const audienceOf = (category: Category): Role | 'nobody' => audiences[category];

/** Say nothing but that somebody is still at work, of which there are many; or are of things that never came to be. */
const untold: ReadonlySet<string> = new Set([
  ...['DeploymentLeaseRenewed', 'JobLeaseRenewed', 'ApiTokenUsed'],
  ...['WorkspaceClaimForfeited', 'DepartmentClaimForfeited', 'CredentialClaimForfeited', 'WebhookClaimForfeited'],
]);

const isListed = (category: string): category is Category => Object.hasOwn(audiences, category);

/** Is this a fact that a tenant is told of, in the feed or by a webhook? */
export const isForTenants = (type: string, { category, workspaceId }: Pick<EventMeta, 'category' | 'workspaceId'>) =>
  workspaceId !== '' && isListed(category) && audiences[category] !== 'nobody' && !untold.has(type);

/** Categories whose events tenants are told of, but nobody with this role. */
export const hiddenFrom = (role: Role): readonly Category[] =>
  Object.keys(audiences).filter((category): category is Category => {
    if (!isListed(category)) return false;
    const needed = audiences[category];
    return needed !== 'nobody' && !atLeast(role, needed);
  });
