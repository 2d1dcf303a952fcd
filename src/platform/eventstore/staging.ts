import { randomUUID } from 'node:crypto';
import { INT64_MAX } from './protobuf.ts';
import { recentIds } from './recentIds.ts';
import { decodeStored } from './record.ts';
import type { NewRecord, NewStream, Store } from './store.ts';
import {
  isMetastream,
  METADATA_TYPE,
  metastreamOf,
  originalOf,
  SOFT_DELETE_DATA,
  STREAM_DELETED_TYPE,
  withTruncateBefore,
} from './streamMetadata.ts';
import { stateMetadata, streamStates } from './streamStates.ts';
import type { ProposedEvent, WriteCommand, WriteResult } from './writeCommand.ts';
import { checkWrite, type Verdict } from './writeRules.ts';

/** What one commit writes. */
export type Group = { readonly events: readonly NewRecord[]; readonly newStreams: readonly NewStream[] };

export type Staging = {
  /** Decides a command against the streams as the commands before it left them, and stages what it writes. */
  decide(command: WriteCommand): WriteResult;
  /** Hands over what was staged since the last time. */
  takeGroup(): Group;
  /** After a failed commit nothing that was staged is true: begin again from the disk. */
  reset(): void;
  /** Between groups: keeps memory bounded. */
  trim(): void;
};

const NO_BYTES = new Uint8Array(0);

export const staging = (store: Store, now: () => number): Staging => {
  const states = streamStates(store);
  const recent = recentIds();
  let events: NewRecord[] = [];
  let newStreams: NewStream[] = [];
  let staged = new Map<string, NewRecord>();
  let position = store.head();
  let streamNumber = store.lastStreamNumber();

  const stage = (stream: string, event: ProposedEvent, revision?: number): NewRecord => {
    const state = states.get(stream);
    if (state.streamNumber === undefined) {
      streamNumber += 1;
      state.streamNumber = streamNumber;
      newStreams.push({ stream, streamNumber });
    }
    state.last = revision ?? state.last + 1;
    position += 1;
    const record: NewRecord = {
      ...event,
      stream,
      streamNumber: state.streamNumber,
      revision: state.last,
      position,
      createdMs: now(),
    };
    events.push(record);
    staged.set(`${record.streamNumber}/${record.revision}`, record);
    recent.add(record.id, stream, record.revision);
    if (isMetastream(stream)) states.get(originalOf(stream)).metadata = stateMetadata(record);
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

  /** A stream that is written to again after a soft delete shows what comes from here on. */
  const stageUndelete = (stream: string, truncateBefore: number): void => {
    stageMetadata(stream, withTruncateBefore(states.get(stream).metadata.data, truncateBefore));
  };

  const stageAppend = (stream: string, proposed: readonly ProposedEvent[]): WriteResult => {
    const state = states.get(stream);
    const firstRevision = state.last + 1;
    const wasSoftDeleted = state.metadata.softDeleted;
    const original = isMetastream(stream) ? originalOf(stream) : undefined;
    const originalWasSoftDeleted = original !== undefined && states.get(original).metadata.softDeleted;
    let at = position;
    for (const event of proposed) at = stage(stream, event).position;
    const result: WriteResult = { ok: true, revision: state.last, position: at };
    if (wasSoftDeleted) stageUndelete(stream, firstRevision);
    if (original !== undefined && originalWasSoftDeleted) stageUndelete(original, states.get(original).last + 1);
    return result;
  };

  const stageTombstone = (stream: string): WriteResult => {
    const event = { id: randomUUID(), type: STREAM_DELETED_TYPE, contentType: 'application/octet-stream' };
    const record = stage(stream, { ...event, data: NO_BYTES, metadata: NO_BYTES }, INT64_MAX);
    return { ok: true, revision: INT64_MAX, position: record.position };
  };

  const written = (stream: string, revision: number): { id: string; position: number } | undefined => {
    const number = states.get(stream).streamNumber;
    if (number === undefined) return undefined;
    const inGroup = staged.get(`${number}/${revision}`);
    if (inGroup !== undefined) return inGroup;
    const at = store.positionOf(number, revision);
    const stored = at === undefined ? undefined : store.record(at);
    return stored === undefined ? undefined : decodeStored(stored);
  };

  const check = ({ stream, expected }: WriteCommand, ids: readonly string[]): Verdict => {
    const { last, metadata } = states.get(stream);
    const version = { last, softDeleted: metadata.softDeleted, hasMetadata: metadata.revision >= 0 };
    return checkWrite(version, expected, ids, {
      recent: (id) => recent.revisionIn(stream, id),
      idAt: (revision) => written(stream, revision)?.id,
    });
  };

  const write = (command: WriteCommand): WriteResult => {
    const { stream } = command;
    const { last, metadata } = states.get(stream);
    switch (command.kind) {
      case 'append':
        return stageAppend(stream, command.events);
      case 'tombstone':
        return stageTombstone(stream);
      case 'delete':
        if (last < 0 && metadata.revision < 0) return { ok: false, reason: 'wrongVersion', actual: last };
        return { ok: true, revision: last, position: stageMetadata(stream, SOFT_DELETE_DATA).position };
    }
  };

  return {
    decide: (command) => {
      const { stream } = command;
      if (states.isTombstoned(stream)) return { ok: false, reason: 'deleted' };
      const ids = command.kind === 'append' ? command.events.map(({ id }) => id) : [randomUUID()];
      const verdict = check(command, ids);
      switch (verdict.kind) {
        case 'deleted':
          return { ok: false, reason: 'deleted' };
        case 'wrongVersion':
          return { ok: false, reason: 'wrongVersion', actual: states.get(stream).last };
        case 'alreadyWritten': {
          const at = ids.length === 0 ? undefined : written(stream, verdict.revision)?.position;
          return { ok: true, revision: verdict.revision, position: at ?? position };
        }
        case 'write':
          return write(command);
      }
    },
    takeGroup: () => {
      const group = { events, newStreams };
      events = [];
      newStreams = [];
      return group;
    },
    reset: () => {
      states.forgetAll();
      recent.forgetAll();
      events = [];
      newStreams = [];
      staged = new Map();
      position = store.head();
      streamNumber = store.lastStreamNumber();
    },
    trim: () => {
      staged = new Map();
      states.forgetOldest();
    },
  };
};
