import { INT64_MAX } from './protobuf.ts';

export type Expected = number | 'any' | 'noStream' | 'streamExists';

/** What the version check needs to know of a stream. `last` is -1 for no events and INT64_MAX for a tombstone. */
export type StreamVersion = {
  readonly last: number;
  readonly softDeleted: boolean;
  readonly hasMetadata: boolean;
};

export type Verdict =
  | { readonly kind: 'write' }
  /** Everything is there already; `revision` is the last of it, or of the stream when there was nothing to write. */
  | { readonly kind: 'alreadyWritten'; readonly revision: number }
  | { readonly kind: 'wrongVersion' }
  | { readonly kind: 'deleted' };

export type Lookups = {
  /** Revision of a recently written event in this stream. */
  readonly recent: (id: string) => number | undefined;
  readonly idAt: (revision: number) => string | undefined;
};

/** By id among the recent writes only: what was written before a restart is written again. */
const checkRecent = (version: StreamVersion, ids: readonly string[], lookups: Lookups): Verdict => {
  let revision = version.last;
  for (const [index, id] of ids.entries()) {
    const found = lookups.recent(id);
    if (found === undefined) return index === 0 ? { kind: 'write' } : { kind: 'wrongVersion' };
    revision = found;
  }
  return { kind: 'alreadyWritten', revision };
};

/** The stream has moved on: either these very events are what follows the expected revision, or somebody else's. */
const checkBehind = (version: StreamVersion, expected: number, ids: readonly string[], lookups: Lookups): Verdict => {
  if (ids.length === 0) return { kind: 'wrongVersion' };
  for (const [index, id] of ids.entries()) {
    const revision = expected + 1 + index;
    if (revision <= version.last && lookups.idAt(revision) === id) continue;
    return index === 0 && expected === -1 && version.softDeleted ? { kind: 'write' } : { kind: 'wrongVersion' };
  }
  return { kind: 'alreadyWritten', revision: expected + ids.length };
};

/** Decides one write, as a real server does: version first, then event ids to recognise a repeated write. */
export const checkWrite = (
  version: StreamVersion,
  expected: Expected,
  ids: readonly string[],
  lookups: Lookups,
): Verdict => {
  if (version.last === INT64_MAX) return { kind: 'deleted' };
  if (expected === 'streamExists') {
    if (version.softDeleted) return { kind: 'deleted' };
    if (version.last < 0 && !version.hasMetadata) return { kind: 'wrongVersion' };
  }
  if (expected === 'any' || expected === 'streamExists') return checkRecent(version, ids, lookups);
  const revision = expected === 'noStream' ? -1 : expected;
  if (revision < version.last) return checkBehind(version, revision, ids, lookups);
  if (revision > version.last) return { kind: 'wrongVersion' };
  return ids.length === 0 ? { kind: 'alreadyWritten', revision } : { kind: 'write' };
};
