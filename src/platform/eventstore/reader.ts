import { INT64_MAX } from './protobuf.ts';
import type { Filter, Rendering } from './readRequest.ts';
import {
  decodeStored,
  type EventRecord,
  encodeResolved,
  isHiddenInAll,
  isLink,
  responseOf,
  type StoredRecord,
} from './record.ts';
import { lastRecord, type Store } from './store.ts';
import {
  firstVisible,
  isMetastream,
  isSoftDeleted,
  METASTREAM_METADATA,
  metastreamOf,
  originalOf,
  parseMetadata,
  type StreamMetadata,
} from './streamMetadata.ts';

export const PAGE_EVENTS = 128;

export type StreamView =
  | { readonly kind: 'missing' }
  | { readonly kind: 'deleted' }
  | {
      readonly kind: 'found';
      readonly streamNumber: number;
      readonly last: number;
      readonly firstVisible: number;
      /** Events created before this many milliseconds since the epoch are too old to be seen. */
      readonly oldestMs: number;
    };

const metadataOf = (store: Store, stream: string): StreamMetadata => {
  if (isMetastream(stream)) return METASTREAM_METADATA;
  const number = store.streamNumber(metastreamOf(stream));
  const record = number === undefined ? undefined : lastRecord(store, number);
  return record === undefined ? {} : parseMetadata(record.data);
};

const lastOf = (store: Store, stream: string): { streamNumber: number; last: number } | undefined => {
  const streamNumber = store.streamNumber(stream);
  return streamNumber === undefined ? undefined : { streamNumber, last: store.lastRevision(streamNumber) };
};

/** A stream as a reader finds it now: what is on disk, seen through its present metadata. */
export const viewStream = (store: Store, stream: string, now: number): StreamView => {
  const found = lastOf(store, stream);
  if (found?.last === INT64_MAX) return { kind: 'deleted' };
  if (isMetastream(stream) && lastOf(store, originalOf(stream))?.last === INT64_MAX) return { kind: 'deleted' };
  if (found === undefined || found.last < 0) return { kind: 'missing' };
  const metadata = metadataOf(store, stream);
  if (isSoftDeleted(metadata)) return { kind: 'missing' };
  return {
    kind: 'found',
    ...found,
    firstVisible: firstVisible(metadata, found.last),
    oldestMs: metadata.maxAgeMs === undefined ? Number.NEGATIVE_INFINITY : now - metadata.maxAgeMs,
  };
};

type FoundStream = Extract<StreamView, { kind: 'found' }>;

const isFresh = (stored: StoredRecord, oldestMs: number): boolean =>
  oldestMs === Number.NEGATIVE_INFINITY || decodeStored(stored).createdMs >= oldestMs;

/** One page from revision `from` inclusive. `next` is undefined when nothing lies beyond. */
export const streamPage = (
  store: Store,
  view: FoundStream,
  from: number,
  backwards: boolean,
  limit: number,
): { readonly events: readonly StoredRecord[]; readonly next: number | undefined } => {
  const start = backwards ? Math.min(from, view.last) : Math.max(from, view.firstVisible);
  const count = Math.min(limit, PAGE_EVENTS, backwards ? start - view.firstVisible + 1 : view.last - start + 1);
  if (count <= 0) return { events: [], next: undefined };
  const events: StoredRecord[] = [];
  for (const position of store.streamPositions(view.streamNumber, start, backwards, count)) {
    const stored = store.record(position);
    if (stored !== undefined && isFresh(stored, view.oldestMs)) events.push(stored);
  }
  const next = backwards ? start - count : start + count;
  const isEnd = backwards ? next < view.firstVisible : next > view.last;
  return { events, next: isEnd ? undefined : next };
};

/** An event of $all together with whether this reader wants it. */
export const isWanted = (stored: StoredRecord, filter: Filter | undefined): boolean => {
  if (isHiddenInAll(stored)) return false;
  if (filter === undefined) return true;
  const { stream, type } = decodeStored(stored);
  return filter.matches(stream, type);
};

const linkTarget = (store: Store, link: EventRecord, now: number): EventRecord | 'missing' | 'none' => {
  const text = Buffer.from(link.data).toString('utf8');
  const at = text.indexOf('@');
  const digits = text.slice(0, at);
  if (at < 1 || !/^\d+$/.test(digits) || at === text.length - 1) return 'none';
  const view = viewStream(store, text.slice(at + 1), now);
  const revision = Number(digits);
  if (view.kind !== 'found' || revision < view.firstVisible) return 'missing';
  const position = store.positionOf(view.streamNumber, revision);
  const stored = position === undefined ? undefined : store.record(position);
  return stored === undefined || !isFresh(stored, view.oldestMs) ? 'missing' : decodeStored(stored);
};

/** The ReadResp for one event. What is stored is the answer already, unless links or other ids are asked for. */
export const render = (store: Store, stored: StoredRecord, rendering: Rendering, now: () => number): Buffer => {
  const follow = rendering.resolveLinks && isLink(stored);
  if (!follow && !rendering.structuredIds) return responseOf(stored);
  const original = decodeStored(stored);
  return encodeResolved(original, follow ? linkTarget(store, original, now()) : 'none', rendering.structuredIds);
};
