import { isCategory } from '../domain/catalog.ts';
import { maskSecrets } from '../domain/masking.ts';
import type { StoredEvent } from '../platform/eventLog/port.ts';
import type { BusMessage } from '../platform/nats/port.ts';

/** CloudEvents 1.0 in structured mode; extensions in lower case, as the specification wants them. */
export type CloudEvent = {
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
  /** Bytes of data that were left out because the message would have been too large. */
  readonly dataleftout?: number;
};

const maxStringLength = 8_192;

/** Undefined for what another program wrote into the log. An event of a newer version of ours is published as it is. */
export const toCloudEvent = (stored: StoredEvent): CloudEvent | undefined => {
  const dash = stored.stream.indexOf('-');
  const category = stored.stream.slice(0, Math.max(0, dash));
  if (!isCategory(category)) return undefined;
  const subject = stored.stream.slice(dash + 1);
  return {
    specversion: '1.0',
    id: stored.id,
    source: short(`/opslog/${category}/${encodeURIComponent(subject)}`),
    type: short(`opslog.${category}.${stored.type}`),
    subject: short(subject),
    time: new Date(stored.recordedAt).toISOString(),
    datacontenttype: 'application/json',
    data: maskSecrets(stored.data, { maxStringLength }),
    position: stored.position.toString(),
    revision: stored.revision,
    ...extension('workspaceid', stored.metadata['workspaceId']),
    ...extension('departmentid', stored.metadata['departmentId']),
    ...extension('correlationid', stored.metadata['$correlationId']),
    ...extension('causationid', stored.metadata['$causationId']),
  };
};

/** Nothing of ours is as long; what another writer left in the log must not make a message that no bus takes. */
const short = (text: string): string => (text.length <= 1_024 ? text : `${text.slice(0, 1_023)}…`);

// An attribute that is not there is absent: the specification allows no empty ones.
const extension = <Name extends string>(name: Name, value: unknown): { readonly [Key in Name]?: string } => {
  const present: { [Key in Name]?: string } = {};
  if (typeof value === 'string' && value !== '') present[name] = short(value);
  return present;
};

/** A token of a subject holds no dot, wildcard or space, and servers limit the length of a subject. */
const token = (text: string): string => text.slice(0, 128).replaceAll(/[^A-Za-z0-9_-]/g, '_');

/** `<prefix>.<workspace id, or "platform">.<category>.<Event>` */
export const subjectOf = (prefix: string, event: CloudEvent): string => {
  const [, category = '', name = ''] = event.type.split('.');
  return `${prefix}.${token(event.workspaceid ?? 'platform')}.${token(category)}.${token(name)}`;
};

export const toBusMessage = (prefix: string, event: CloudEvent, maxBytes: number): BusMessage => {
  const payload = encode(event);
  const fits = payload.byteLength <= maxBytes - headroom;
  const { data, ...rest } = event;
  return {
    subject: subjectOf(prefix, event),
    id: event.id,
    payload: fits ? payload : encode({ ...rest, data: {}, dataleftout: encode(data).byteLength }),
  };
};

/** Bytes of the headers, which count towards the limit of a message. */
const headroom = 1_024;

const encoder = new TextEncoder();
const encode = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value));
