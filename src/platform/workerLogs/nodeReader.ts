import { open, stat } from 'node:fs/promises';
import { hasCode } from '../artifacts/durable.ts';
import { listSegments, parseLine, type StoredLine, segmentPath } from './segment.ts';

export type NumberedLine = StoredLine & { readonly droppedBefore: number };

/** Lines of one worker on one node, in order, from what is kept on. Holds one chunk in memory and no open file. */
export type NodeReader = {
  /** The next line, when one has been read from the file. */
  peek(): NumberedLine | undefined;
  take(): void;
  /** Reads on; false when there is nothing more now. */
  fill(): Promise<boolean>;
  /** Lines before the first one that was read were passed over. */
  isTail(): boolean;
};

export type NodeReaderOptions = {
  readonly nodeFolder: string;
  /** The last sequence that was read; undefined counts nothing as dropped. */
  readonly after: number | undefined;
  /** Must hold the longest line. */
  readonly chunkBytes: number;
  /** Begin this far from the end. Without it, and without `after`, with the oldest line. */
  readonly tailBytes?: number | undefined;
};

type Place = { readonly segment: number; readonly offset: number };

export const createNodeReader = ({ nodeFolder, after, chunkBytes, tailBytes }: NodeReaderOptions): NodeReader => {
  let last = after;
  let place: Place | undefined;
  let isTail = false;
  /** The next line begins somewhere before the place. */
  let isCut = false;
  /** The highest sequence of any line that was passed. */
  let seen = 0;
  let ready: readonly StoredLine[] = [];
  let taken = 0;

  const firstPlace = async (segments: readonly number[]): Promise<Place | undefined> => {
    const newest = segments.at(-1);
    if (tailBytes !== undefined && last === undefined && newest !== undefined) {
      const size = (await stat(segmentPath(nodeFolder, newest)).catch(() => undefined))?.size ?? 0;
      const offset = Math.max(0, size - tailBytes);
      isCut = offset > 0;
      isTail = isCut || segments.length > 1;
      return { segment: newest, offset };
    }
    const holding = segments.findLast((first) => first <= (last ?? 0) + 1) ?? segments[0];
    return holding === undefined ? undefined : { segment: holding, offset: 0 };
  };

  const read = async (): Promise<boolean> => {
    const segments = await listSegments(nodeFolder);
    if (place === undefined || !segments.includes(place.segment)) place = await firstPlace(segments);
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
      const whole = isCut ? chunk.subarray(chunk.indexOf(10) + 1) : chunk;
      isCut = false;
      const texts = whole.toString('utf8').split('\n');
      const lines = texts.flatMap((text) => (text === '' ? [] : (parseLine(text) ?? [])));
      seen = lines.at(-1)?.sequence ?? seen;
      ready = lines.filter(({ sequence }) => sequence > (last ?? 0));
      taken = 0;
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

  return {
    peek: () => {
      const line = ready[taken];
      return line && { ...line, droppedBefore: last === undefined ? 0 : line.sequence - last - 1 };
    },
    take: () => {
      last = ready[taken]?.sequence ?? last;
      taken += 1;
    },
    fill: async () => {
      while (ready[taken] === undefined) if (!(await read())) return false;
      return true;
    },
    isTail: () => isTail,
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
