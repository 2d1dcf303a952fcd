import { INT64_MAX } from './protobuf.ts';
import { lastRecord, type Store } from './store.ts';
import { isMetastream, isSoftDeleted, metastreamOf, originalOf, parseMetadata } from './streamMetadata.ts';

/** A stream as the next write finds it, writes of the group being formed included. */
export type StreamState = {
  streamNumber: number | undefined;
  /** -1 for no events, INT64_MAX for a tombstone. */
  last: number;
  metadata: StateMetadata;
};

export type StateMetadata = { readonly revision: number; readonly data: Uint8Array; readonly softDeleted: boolean };

const CACHED_STREAMS = 10_000;
const NO_METADATA: StateMetadata = { revision: -1, data: new Uint8Array(0), softDeleted: false };

export const stateMetadata = (event: { readonly revision: number; readonly data: Uint8Array }): StateMetadata => ({
  revision: event.revision,
  data: event.data,
  softDeleted: isSoftDeleted(parseMetadata(event.data)),
});

const load = (store: Store, stream: string): StreamState => {
  const number = store.streamNumber(stream);
  const metaNumber = store.streamNumber(metastreamOf(stream));
  const meta = metaNumber === undefined ? undefined : lastRecord(store, metaNumber);
  return {
    streamNumber: number,
    last: number === undefined ? -1 : store.lastRevision(number),
    metadata: meta === undefined ? NO_METADATA : stateMetadata(meta),
  };
};

export type StreamStates = ReturnType<typeof streamStates>;

/** The writer's view of the streams: loaded from the store once, then kept up to date by the writer itself. */
export const streamStates = (store: Store) => {
  const states = new Map<string, StreamState>();
  const get = (stream: string): StreamState => {
    const known = states.get(stream);
    if (known !== undefined) return known;
    const state = load(store, stream);
    states.set(stream, state);
    return state;
  };
  return {
    get,
    isTombstoned: (stream: string): boolean =>
      get(stream).last === INT64_MAX || (isMetastream(stream) && get(originalOf(stream)).last === INT64_MAX),
    /** Only between groups: during one, a state may hold what is not on disk yet. */
    forgetOldest: (): void => {
      let surplus = states.size - CACHED_STREAMS;
      for (const stream of states.keys()) {
        if (surplus-- <= 0) return;
        states.delete(stream);
      }
    },
    forgetAll: (): void => states.clear(),
  };
};
