import { metaOf } from '../commands/envelope.ts';
import { isCategory } from '../domain/catalog.ts';
import { type PublicEvent, publicData, publicEvent } from '../domain/publicEvent.ts';
import type { StoredEvent } from '../platform/eventLog/port.ts';
import type { BusMessage } from '../platform/nats/port.ts';

/** The public form of an event, and what a message of limited size had to leave out. */
export type CloudEvent = PublicEvent & {
  /** Bytes of data that were left out because the message would have been too large. */
  readonly dataleftout?: number;
};

/** Undefined for what another program wrote into the log. An event of a newer version of ours is published as it is. */
export const toCloudEvent = (stored: StoredEvent): CloudEvent | undefined => {
  const dash = stored.stream.indexOf('-');
  const category = stored.stream.slice(0, Math.max(0, dash));
  if (!isCategory(category)) return undefined;
  return publicEvent({
    ...metaOf(stored, category, stored.stream.slice(dash + 1)),
    ...{ type: stored.type, data: publicData(stored.data) },
  });
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
