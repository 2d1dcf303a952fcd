import { createHash } from 'node:crypto';
import { type Database, open } from 'lmdb';
import { decodeStored, type EventRecord, encodeStored, type StoredRecord } from './record.ts';
import { checkWhole } from './wholeness.ts';

/**
 * Three tables in one LMDB environment:
 * log      position -> stored record
 * streams  stream name -> number of the stream
 * index    [number of the stream, revision] -> position
 */
export type Store = {
  /** Position of the newest event, 0 for an empty log. */
  head(): number;
  lastStreamNumber(): number;
  streamNumber(stream: string): number | undefined;
  /** Revision of the last event of a stream, -1 when there is none. */
  lastRevision(streamNumber: number): number;
  positionOf(streamNumber: number, revision: number): number | undefined;
  record(position: number): StoredRecord | undefined;
  /** Positions of a stream in order of revision, from `from` inclusive. */
  streamPositions(streamNumber: number, from: number, backwards: boolean, limit: number): readonly number[];
  /** Records from position `from` inclusive, at most `limit` and about a megabyte of them. */
  page(from: number, backwards: boolean, limit: number): readonly Entry[];
  /** All or nothing; durable when it resolves. */
  write(events: readonly NewRecord[], streams: readonly NewStream[]): Promise<void>;
  /** A consistent copy into an empty folder, of everything that was durable when it began; writing goes on. */
  copyTo(folder: string): Promise<void>;
  close(): Promise<void>;
};

export type Entry = { readonly position: number; readonly stored: StoredRecord };
export type NewRecord = EventRecord & { readonly streamNumber: number };
export type NewStream = { readonly stream: string; readonly streamNumber: number };

const FORMAT = 1;
const PAGE_BYTES = 1024 * 1024;
/** LMDB keys have at most 1,978 bytes; longer stream names are known by their digest. */
const LONGEST_NAME_BYTES = 1_024;

export const nameKey = (stream: string): string =>
  Buffer.byteLength(stream) <= LONGEST_NAME_BYTES
    ? `=${stream}`
    : `#${createHash('sha256').update(stream).digest('hex')}`;

const first = <T>(items: Iterable<T>): T | undefined => {
  for (const item of items) return item;
  return undefined;
};

/** A failed commit brings a second rejected promise along; nobody else would handle it, which ends the program. */
const committed = async (commit: Promise<unknown>): Promise<void> => {
  try {
    await commit;
  } catch (error) {
    const cause: unknown = error instanceof Error ? Reflect.get(error, 'commitError') : undefined;
    if (cause instanceof Promise) cause.catch(() => {});
    throw error;
  }
};

const checkFormat = async (meta: Database<number, string>, folder: string): Promise<void> => {
  const found = meta.get('format');
  if (found === undefined) await meta.put('format', FORMAT);
  else if (found !== FORMAT) throw new Error(`${folder} has the unknown storage format ${found}`);
};

/** The tables as they are. Throws EventStoreCorrupt when the file is not whole. */
export const openTables = async (folder: string, syncToDisk: boolean) => {
  await checkWhole(folder);
  const root = open({
    path: folder,
    noSubdir: false,
    // A commit becomes visible only once it is on disk, so that no reader sees what a crash could undo.
    overlappingSync: false,
    // Every commit is a batch of its own. The implicit one of a turn has a promise that nobody can handle.
    eventTurnBatching: false,
    noSync: !syncToDisk,
    maxDbs: 8,
  });
  const meta = root.openDB<number, string>('meta', { encoding: 'ordered-binary' });
  const log = root.openDB<Buffer, number>('log', { encoding: 'binary' });
  const streams = root.openDB<number, string>('streams', { encoding: 'ordered-binary' });
  const index = root.openDB<number, [number, number]>('index', { encoding: 'ordered-binary' });
  await checkFormat(meta, folder);
  return { root, log, streams, index };
};

export const openStore = async (folder: string, syncToDisk = true): Promise<Store> => {
  const { root, log, streams, index } = await openTables(folder, syncToDisk);

  let head = first(log.getKeys({ reverse: true, limit: 1 })) ?? 0;
  let lastStreamNumber = first(index.getKeys({ reverse: true, limit: 1 }))?.[0] ?? 0;

  return {
    head: () => head,
    lastStreamNumber: () => lastStreamNumber,
    streamNumber: (stream) => streams.get(nameKey(stream)),
    lastRevision: (number) =>
      first(
        index.getKeys({ start: [number, Number.POSITIVE_INFINITY], end: [number, -1], reverse: true, limit: 1 }),
      )?.[1] ?? -1,
    positionOf: (number, revision) => index.get([number, revision]),
    record: (position) => log.getBinary(position),
    streamPositions: (number, from, backwards, limit) => {
      const end: [number, number] = [number, backwards ? -1 : Number.POSITIVE_INFINITY];
      return [...index.getRange({ start: [number, from], end, reverse: backwards, limit }).map(({ value }) => value)];
    },
    page: (from, backwards, limit) => {
      const entries: Entry[] = [];
      let bytes = 0;
      for (const { key, value } of log.getRange({ start: from, reverse: backwards, limit })) {
        entries.push({ position: key, stored: value });
        bytes += value.length;
        if (bytes >= PAGE_BYTES) break;
      }
      return entries;
    },
    write: async (events, newStreams) => {
      // Encoded first: within the batch nothing may throw, or half of the events would be committed.
      const records = events.map((event) => ({ event, stored: encodeStored(event) }));
      await committed(
        root.batch(() => {
          for (const { stream, streamNumber } of newStreams) streams.put(nameKey(stream), streamNumber);
          for (const { event, stored } of records) {
            log.put(event.position, stored);
            index.put([event.streamNumber, event.revision], event.position);
          }
        }),
      );
      head = events.at(-1)?.position ?? head;
      lastStreamNumber = newStreams.at(-1)?.streamNumber ?? lastStreamNumber;
    },
    copyTo: (copy) => root.backup(copy, true),
    close: () => root.close(),
  };
};

/** The newest event of a stream, decoded. */
export const lastRecord = (store: Store, streamNumber: number): EventRecord | undefined => {
  const [position] = store.streamPositions(streamNumber, Number.POSITIVE_INFINITY, true, 1);
  const stored = position === undefined ? undefined : store.record(position);
  return stored === undefined ? undefined : decodeStored(stored);
};
