import { randomUUID } from 'node:crypto';
import { INT64_MAX } from './protobuf.ts';
import { decodeStored } from './record.ts';
import { lastRecord, type NewRecord, type NewStream, type Store } from './store.ts';
import {
  isMetastream,
  isSoftDeleted,
  METADATA_TYPE,
  metastreamOf,
  originalOf,
  parseMetadata,
  SOFT_DELETE_DATA,
  STREAM_DELETED_TYPE,
  withTruncateBefore,
} from './streamMetadata.ts';
import { checkWrite, type Expected } from './writeRules.ts';

export type ProposedEvent = {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

export type WriteCommand =
  | {
      readonly kind: 'append';
      readonly stream: string;
      readonly expected: Expected;
      readonly events: readonly ProposedEvent[];
    }
  | { readonly kind: 'delete' | 'tombstone'; readonly stream: string; readonly expected: Expected };

export type WriteResult =
  | { readonly ok: true; readonly revision: number; readonly position: number }
  /** `actual` is -1 when the stream has no events. */
  | { readonly ok: false; readonly reason: 'wrongVersion'; readonly actual: number }
  | { readonly ok: false; readonly reason: 'deleted' };

export type Writer = {
  /** Resolves once the outcome is on disk. */
  submit(command: WriteCommand): Promise<WriteResult>;
  /** Resolves when everything submitted has been answered. */
  drain(): Promise<void>;
};

type Waiting = {
  readonly command: WriteCommand;
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: unknown) => void;
};

/** A stream as the next write finds it, writes of the group being formed included. */
type StreamState = {
  streamNumber: number | undefined;
  last: number;
  metadata: { readonly revision: number; readonly data: Uint8Array; readonly softDeleted: boolean };
};

const GROUP_COMMANDS = 4_096;
const GROUP_BYTES = 8 * 1024 * 1024;
const CACHED_STREAMS = 10_000;
const RECENT_IDS = 32_768;
const NO_BYTES = new Uint8Array(0);
const NO_METADATA = { revision: -1, data: NO_BYTES, softDeleted: false };

/** Ids of the newest 32,768 to 65,536 events; two generations make forgetting the oldest cheap. */
const recentIds = () => {
  let young = new Map<string, NewRecord>();
  let old = new Map<string, NewRecord>();
  return {
    add: (event: NewRecord): void => {
      if (young.size >= RECENT_IDS) {
        old = young;
        young = new Map();
      }
      young.set(event.id, { ...event, data: NO_BYTES, metadata: NO_BYTES });
    },
    find: (id: string): NewRecord | undefined => young.get(id) ?? old.get(id),
    clear: (): void => {
      young.clear();
      old.clear();
    },
  };
};

const commandBytes = (command: WriteCommand): number =>
  command.kind === 'append'
    ? command.events.reduce((sum, event) => sum + event.data.length + event.metadata.length, 0)
    : 0;

/**
 * Group commit: while one group is on its way to the disk the next one gathers, so many writers share one sync.
 * Every command of a group is decided in order against the streams as the commands before it left them.
 */
export const startWriter = (store: Store, now: () => number, committed: () => void): Writer => {
  const states = new Map<string, StreamState>();
  const recent = recentIds();
  let queue: Waiting[] = [];
  let running = false;
  let idle: Promise<void> = Promise.resolve();

  let group: NewRecord[] = [];
  let newStreams: NewStream[] = [];
  let staged = new Map<string, NewRecord>();
  let position = store.head();
  let streamNumber = store.lastStreamNumber();

  const load = (stream: string): StreamState => {
    const number = store.streamNumber(stream);
    const metaNumber = store.streamNumber(metastreamOf(stream));
    const meta = metaNumber === undefined ? undefined : lastRecord(store, metaNumber);
    return {
      streamNumber: number,
      last: number === undefined ? -1 : store.lastRevision(number),
      metadata:
        meta === undefined
          ? NO_METADATA
          : { revision: meta.revision, data: meta.data, softDeleted: isSoftDeleted(parseMetadata(meta.data)) },
    };
  };

  const stateOf = (stream: string): StreamState => {
    const known = states.get(stream);
    if (known !== undefined) return known;
    const state = load(stream);
    states.set(stream, state);
    return state;
  };

  /** Only between groups: during one, a state may hold what is not on disk yet. */
  const forgetOldStates = (): void => {
    let surplus = states.size - CACHED_STREAMS;
    for (const stream of states.keys()) {
      if (surplus-- <= 0) return;
      states.delete(stream);
    }
  };

  const stage = (stream: string, event: ProposedEvent, revision?: number): NewRecord => {
    const state = stateOf(stream);
    if (state.streamNumber === undefined) {
      state.streamNumber = ++streamNumber;
      newStreams.push({ stream, streamNumber });
    }
    state.last = revision ?? state.last + 1;
    const record: NewRecord = {
      ...event,
      stream,
      streamNumber: state.streamNumber,
      revision: state.last,
      position: ++position,
      createdMs: now(),
    };
    group.push(record);
    staged.set(`${record.streamNumber}/${record.revision}`, record);
    recent.add(record);
    if (isMetastream(stream)) {
      stateOf(originalOf(stream)).metadata = {
        revision: record.revision,
        data: record.data,
        softDeleted: isSoftDeleted(parseMetadata(record.data)),
      };
    }
    return record;
  };

  const stageMetadata = (stream: string, data: Uint8Array): NewRecord =>
    stage(metastreamOf(stream), {
      id: randomUUID(),
      type: METADATA_TYPE,
      contentType: 'application/json',
      data,
      metadata: NO_BYTES,
    });

  const written = (state: StreamState, revision: number): { id: string; position: number } | undefined => {
    if (state.streamNumber === undefined) return undefined;
    const inGroup = staged.get(`${state.streamNumber}/${revision}`);
    if (inGroup !== undefined) return inGroup;
    const at = store.positionOf(state.streamNumber, revision);
    const stored = at === undefined ? undefined : store.record(at);
    return stored === undefined ? undefined : decodeStored(stored);
  };

  const isTombstoned = (stream: string, state: StreamState): boolean =>
    state.last === INT64_MAX || (isMetastream(stream) && stateOf(originalOf(stream)).last === INT64_MAX);

  const stageAppend = (stream: string, events: readonly ProposedEvent[]): WriteResult => {
    const before = stateOf(stream).last;
    const wasSoftDeleted = stateOf(stream).metadata.softDeleted;
    const original = isMetastream(stream) ? originalOf(stream) : undefined;
    const originalWasSoftDeleted = original !== undefined && stateOf(original).metadata.softDeleted;
    let revision = before;
    let at = position;
    for (const event of events) ({ revision, position: at } = stage(stream, event));
    if (wasSoftDeleted) stageMetadata(stream, withTruncateBefore(stateOf(stream).metadata.data, before + 1));
    if (original !== undefined && originalWasSoftDeleted) {
      const state = stateOf(original);
      stageMetadata(original, withTruncateBefore(state.metadata.data, state.last + 1));
    }
    return { ok: true, revision, position: at };
  };

  const stageTombstone = (stream: string): WriteResult => {
    const event = { id: randomUUID(), type: STREAM_DELETED_TYPE, contentType: 'application/octet-stream' };
    const record = stage(stream, { ...event, data: NO_BYTES, metadata: NO_BYTES }, INT64_MAX);
    return { ok: true, revision: INT64_MAX, position: record.position };
  };

  const decide = (command: WriteCommand): WriteResult => {
    const { stream, expected } = command;
    const state = stateOf(stream);
    if (isTombstoned(stream, state)) return { ok: false, reason: 'deleted' };
    const wrongVersion: WriteResult = { ok: false, reason: 'wrongVersion', actual: state.last };
    const version = {
      last: state.last,
      softDeleted: state.metadata.softDeleted,
      hasMetadata: state.metadata.revision >= 0,
    };
    const ids = command.kind === 'append' ? command.events.map(({ id }) => id) : [randomUUID()];
    const verdict = checkWrite(version, expected, ids, {
      recent: (id) => {
        const event = recent.find(id);
        return event?.stream === stream ? event.revision : undefined;
      },
      idAt: (revision) => written(state, revision)?.id,
    });
    switch (verdict.kind) {
      case 'deleted':
        return { ok: false, reason: 'deleted' };
      case 'wrongVersion':
        return wrongVersion;
      case 'alreadyWritten': {
        const at = ids.length === 0 ? position : (written(state, verdict.revision)?.position ?? position);
        return { ok: true, revision: verdict.revision, position: at };
      }
      case 'write':
        if (command.kind === 'append') return stageAppend(stream, command.events);
        if (command.kind === 'tombstone') return stageTombstone(stream);
        if (state.last < 0 && state.metadata.revision < 0) return wrongVersion;
        return { ok: true, revision: state.last, position: stageMetadata(stream, SOFT_DELETE_DATA).position };
      default:
        verdict satisfies never;
        return wrongVersion;
    }
  };

  const takeGroup = (): Waiting[] => {
    let bytes = 0;
    let count = 0;
    for (const { command } of queue) {
      bytes += commandBytes(command);
      count += 1;
      if (count === GROUP_COMMANDS || bytes >= GROUP_BYTES) break;
    }
    const taken = queue.slice(0, count);
    queue = queue.slice(count);
    return taken;
  };

  /** After a failed commit nothing that was staged is true: start again from the disk. */
  const forgetEverything = (): void => {
    states.clear();
    recent.clear();
    position = store.head();
    streamNumber = store.lastStreamNumber();
  };

  const runGroup = async (): Promise<void> => {
    const taken = takeGroup();
    group = [];
    newStreams = [];
    staged = new Map();
    try {
      const results = taken.map(({ command }) => decide(command));
      if (group.length > 0) await store.write(group, newStreams);
      for (const [index, { resolve }] of taken.entries()) {
        const result = results[index];
        if (result !== undefined) resolve(result);
      }
      if (group.length > 0) committed();
    } catch (error) {
      forgetEverything();
      for (const { reject } of taken) reject(error);
    }
    forgetOldStates();
  };

  const run = async (): Promise<void> => {
    // Lets everything that arrives in this turn of the event loop into the first group.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) await runGroup();
    running = false;
  };

  return {
    submit: (command) =>
      new Promise((resolve, reject) => {
        queue.push({ command, resolve, reject });
        if (running) return;
        running = true;
        idle = run();
      }),
    drain: () => idle,
  };
};
