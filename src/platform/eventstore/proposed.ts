import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { AppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import { invalidArgument, missingMetadataProperty } from './rpcErrors.ts';
import type { ProposedEvent } from './writeCommand.ts';

/** Sum of the data of one append; a real server's default. */
export const MAX_APPEND_BYTES = 1024 * 1024;

const UUID_TEXT = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const EMPTY_UUID = '00000000-0000-0000-0000-000000000000';

const structuredText = (most: string, least: string): string => {
  const half = (value: string): string => BigInt.asUintN(64, BigInt(value)).toString(16).padStart(16, '0');
  const hex = half(most) + half(least);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

/** Lower-case text, or undefined when there is none or it is no UUID. */
export const uuidText = (uuid: UUID | undefined): string | undefined => {
  const structured = uuid?.getStructured();
  const text =
    structured === undefined
      ? uuid?.getString().toLowerCase()
      : structuredText(structured.getMostSignificantBits(), structured.getLeastSignificantBits());
  return text !== undefined && UUID_TEXT.test(text) ? text : undefined;
};

/** Throws INVALID_ARGUMENT for the names that no stream can have. */
export const checkedStreamName = (name: string): string => {
  if (name === '' || name === '$$') throw invalidArgument(`Stream name '${name}' is not valid.`);
  return name;
};

/** Throws as `checkedStreamName` does. */
export const streamName = (identifier: StreamIdentifier | undefined): string =>
  checkedStreamName(Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8'));

type Proposed = {
  readonly [Name in 'id' | 'type' | 'contentType']: string | undefined;
} & Pick<ProposedEvent, 'data' | 'metadata'>;

/** Throws INVALID_ARGUMENT for what no event can be. */
export const checkedEvent = ({ id, type, contentType, data, metadata }: Proposed): ProposedEvent => {
  if (type === undefined || contentType === undefined) throw missingMetadataProperty();
  if (type === '') throw invalidArgument('Event type is empty.');
  if (id === undefined || id === EMPTY_UUID) throw invalidArgument('Event id is empty or not a UUID.');
  return { id, type, contentType, data, metadata };
};

/** Throws as `checkedEvent` does. */
export const proposedEvent = (message: AppendReq.ProposedMessage): ProposedEvent => {
  const properties = message.getMetadataMap();
  return checkedEvent({
    id: uuidText(message.getId()),
    type: properties.get('type'),
    contentType: properties.get('content-type'),
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  });
};
