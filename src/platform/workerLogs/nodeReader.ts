import { open } from 'node:fs/promises';
import { hasCode } from '../artifacts/durable.ts';
import { listSegments, parseLine, type StoredLine, segmentPath } from './segment.ts';

export type NumberedLine = StoredLine & { readonly droppedBefore: number };

/** Lines of one worker on one node, in order, from what is kept on. Holds one chunk in memory and no open file. */
export type NodeReader = {
  /** Undefined: nothing more now. */
  peek(): Promise<NumberedLine | undefined>;
  take(): void;
};

/**
 * `after`: the last sequence that was read; undefined reads from the oldest on and counts nothing as dropped.
 * `chunkBytes` must hold the longest line.
 */
export const createNodeReader = (nodeFolder: string, after: number | undefined, chunkBytes: number): NodeReader => {
  let last = after;
  let place: { segment: number; offset: number } | undefined;
  /** The highest sequence of any line that was passed. */
  let seen = 0;
  let ready: StoredLine[] = [];

  const firstPlace = (segments: readonly number[]): typeof place => {
    const holding = segments.findLast((first) => first <= (last ?? 0) + 1) ?? segments[0];
    return holding === undefined ? undefined : { segment: holding, offset: 0 };
  };

  /** True when there may be more. */
  const fill = async (): Promise<boolean> => {
    const segments = await listSegments(nodeFolder);
    if (place === undefined || !segments.includes(place.segment)) place = firstPlace(segments);
    if (place === undefined) return false;
    const { segment, offset } = place;
    const chunk = await readChunk(segmentPath(nodeFolder, segment), offset, chunkBytes);
    if (chunk === undefined) {
      // It was taken away since it was listed, or is shorter than it was: another place is found next time.
      place = undefined;
      return true;
    }
    if (chunk.length > 0) {
      place = { segment, offset: offset + chunk.length };
      const lines = chunk
        .toString('utf8')
        .split('\n')
        .flatMap((text) => (text === '' ? [] : (parseLine(text) ?? [])));
      seen = lines.at(-1)?.sequence ?? seen;
      ready = lines.filter(({ sequence }) => sequence > (last ?? 0));
      return true;
    }
    // The segments were listed before its end was seen: with another behind it, it is complete.
    const next = segments.find((first) => first > segment);
    if (next !== undefined) {
      place = { segment: next, offset: 0 };
      return true;
    }
    if (last !== undefined && seen > 0 && seen < last) {
      // The log was begun anew since this place was given out.
      last = undefined;
      place = undefined;
      return true;
    }
    return false;
  };

  const peek = async (): Promise<NumberedLine | undefined> => {
    while (ready.length === 0) if (!(await fill())) return undefined;
    const [line] = ready;
    return line && { ...line, droppedBefore: last === undefined ? 0 : line.sequence - last - 1 };
  };
  return {
    peek,
    take: () => {
      last = ready.shift()?.sequence ?? last;
    },
  };
};

/** Whole lines from the offset on, none at the end. Undefined when there is no such place. */
const readChunk = async (path: string, offset: number, bytes: number): Promise<Buffer | undefined> => {
  try {
    const file = await open(path, 'r');
    try {
      if ((await file.stat()).size < offset) return undefined;
      const buffer = Buffer.allocUnsafe(bytes);
      const { bytesRead } = await file.read(buffer, 0, bytes, offset);
      return buffer.subarray(0, buffer.subarray(0, bytesRead).lastIndexOf(10) + 1);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
};
