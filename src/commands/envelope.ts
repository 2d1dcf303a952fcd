import { createHash } from 'node:crypto';
import { catalog, isCategory, type OpslogEvent } from '../domain/catalog.ts';
import { derivedId } from '../domain/identifiers.ts';
import type { Actor, AuthMethod, EventMeta, Message, Recorded } from '../domain/kernel.ts';
import type { JsonObject, NewEvent, StoredEvent } from '../platform/eventLog/port.ts';

/** Who asks, under which key, and in which context; it becomes the metadata of every fact the command leads to. */
export type Envelope = {
  /** The same command id is the same command: a retry finds what the first one did. */
  readonly commandId: string;
  /** Tells a retry from another command under the same key; '' when the command id alone decides. */
  readonly commandDigest: string;
  readonly actor: Actor;
  readonly authMethod: AuthMethod;
  readonly workspaceId: string;
  readonly departmentId: string;
  readonly requestId: string;
  readonly correlationId: string;
  readonly causationId: string;
  /** Address of the caller, for the audit trail alone; '' or absent when nobody called from outside. */
  readonly ip?: string;
  /** Revision the caller saw (If-Match). */
  readonly expectedRevision?: number;
  /** The stream's id derives from the command id, so it is taken to be absent: a conflict tells when this is a retry. */
  readonly fresh?: boolean;
  /** Decide, answer with the facts that would be, append nothing. */
  readonly dryRun?: boolean;
};

/** For a stream whose id derives from the command id: without a key that id was drawn at random, so there is no such stream. */
export const onNewStream = (envelope: Envelope): Envelope => ({ ...envelope, fresh: envelope.commandDigest === '' });

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

export const streamOf = (category: string, id: string): string => `${category}-${id}`;

export const toNewEvents = (
  stream: string,
  events: readonly Message<string, object>[],
  envelope: Envelope,
): readonly NewEvent[] => {
  const metadata: JsonObject = {
    $correlationId: envelope.correlationId,
    $causationId: envelope.causationId,
    actor: envelope.actor,
    authMethod: envelope.authMethod,
    workspaceId: envelope.workspaceId,
    departmentId: envelope.departmentId,
    requestId: envelope.requestId,
    commandId: envelope.commandId,
    ...(envelope.ip && { ip: envelope.ip }),
    ...(envelope.commandDigest && { commandDigest: envelope.commandDigest }),
  };
  return events.map((event, index) => ({
    // The data is part of it: the log takes a known id for a known event, whatever else may be in it.
    id: derivedId(sha256, 'event', envelope.commandId, stream, String(index), JSON.stringify(event.data)),
    type: event.type,
    data: { ...event.data },
    metadata,
  }));
};

const text = (object: JsonObject, key: string): string => {
  const value = object[key];
  return typeof value === 'string' ? value : '';
};

const actorKinds = { user: true, apiToken: true, system: true } as const;
const authMethods = { session: true, api_token: true, system: true, none: true } as const;
const isOneOf = <Key extends string>(keys: Readonly<Record<Key, true>>, value: string): value is Key =>
  Object.hasOwn(keys, value);

const actorOf = (value: unknown): Actor => {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !('id' in value)) return unknownActor;
  const { kind, id } = value;
  return typeof kind === 'string' && isOneOf(actorKinds, kind) && typeof id === 'string' ? { kind, id } : unknownActor;
};
const unknownActor: Actor = { kind: 'system', id: '' };

/** What the metadata of a stored event says; what is missing or malformed is ''. */
export const metaOf = (stored: StoredEvent, category: string, subjectId: string): EventMeta => {
  const { metadata } = stored;
  const authMethod = text(metadata, 'authMethod');
  return {
    eventId: stored.id,
    category,
    subjectId,
    revision: stored.revision,
    position: stored.position,
    recordedAt: stored.recordedAt,
    correlationId: text(metadata, '$correlationId'),
    causationId: text(metadata, '$causationId'),
    actor: actorOf(metadata['actor']),
    authMethod: isOneOf(authMethods, authMethod) ? authMethod : 'none',
    workspaceId: text(metadata, 'workspaceId'),
    departmentId: text(metadata, 'departmentId'),
    requestId: text(metadata, 'requestId'),
    commandId: text(metadata, 'commandId'),
    ip: text(metadata, 'ip'),
    commandDigest: text(metadata, 'commandDigest'),
  };
};

/** What the log holds is what `send` put there: a known name in its own category vouches for the shape of the data. */
const isKnown = <Event extends Message<string, object>>(
  names: object,
  stored: StoredEvent,
): stored is StoredEvent & Event => Object.hasOwn(names, stored.type);

const withMeta = <Event extends object>(event: Event, meta: EventMeta): Recorded<Event> => ({ ...event, meta });

/** A stored event of a given aggregate; undefined for a name that this version does not know (a newer writer's). */
export const decodeAs = <Event extends Message<string, object>>(
  { category, events }: { readonly category: string; readonly events: Readonly<Record<Event['type'], true>> },
  stored: StoredEvent,
): Recorded<Event> | undefined =>
  isKnown<Event>(events, stored)
    ? withMeta<Event>(stored, metaOf(stored, category, stored.stream.slice(category.length + 1)))
    : undefined;

/** The same over the whole catalogue, by the stream's category. */
export const decode = (stored: StoredEvent): Recorded<OpslogEvent> | undefined => {
  const dash = stored.stream.indexOf('-');
  const category = stored.stream.slice(0, Math.max(0, dash));
  if (!isCategory(category) || !isKnown<OpslogEvent>(catalog[category].events, stored)) return undefined;
  return withMeta<OpslogEvent>(stored, metaOf(stored, category, stored.stream.slice(dash + 1)));
};
