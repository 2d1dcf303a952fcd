import { appendFile, mkdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../log/port.ts';
import { type WorkerLogLimits, workerLogLimits } from './limits.ts';
import type { LogLine, WorkerLogWriter } from './port.ts';
import { formatLine, listSegments, parseLine, scriptFolder, segmentPath } from './segment.ts';

export type WorkerLogWriterOptions = {
  readonly folder: string;
  /** Whoever writes in this folder: no two living processes may be the same. */
  readonly nodeId: string;
  readonly log: Pick<Log, 'warn'>;
  readonly limits?: Partial<WorkerLogLimits>;
  /** Takes out what must not be kept. */
  readonly redact?: (message: string) => string;
};

/** Eight hex digits that stand for the node in paths and cursors. */
export const shortNode = (nodeId: string): string => nodeId.replaceAll('-', '').slice(0, 8).toLowerCase();

type Pending = { lines: LogLine[]; bytes: number; dropped: number; lastDropped: LogLine | undefined };
/** The segment that is written now, and the sequence of the next line. */
type Place = { readonly segment: number; readonly next: number; readonly bytes: number };
type Script = { readonly pending: Pending; place: Place | undefined; working: Promise<void> | undefined };

/**
 * Appends lines to segments, a worker after another, each line with the next sequence of its worker on this node. What
 * cannot be written is dropped and counted, and the count is written when there is room again.
 */
export const createWorkerLogWriter = (options: WorkerLogWriterOptions): WorkerLogWriter => {
  const { folder, log, redact = (message) => message } = options;
  const limits = { ...workerLogLimits, ...options.limits };
  const node = shortNode(options.nodeId);
  const scripts = new Map<string, Script>();

  const scriptOf = (scriptName: string): Script => {
    const known = scripts.get(scriptName);
    if (known) return known;
    const made: Script = {
      pending: { lines: [], bytes: 0, dropped: 0, lastDropped: undefined },
      ...{ place: undefined, working: undefined },
    };
    scripts.set(scriptName, made);
    return made;
  };

  const drain = async (scriptName: string, script: Script): Promise<void> => {
    const nodeFolder = join(scriptFolder(folder, scriptName), node);
    while (script.pending.lines.length > 0 || script.pending.dropped > 0) {
      const { lines, dropped } = taken(script.pending);
      const all = [...lines, ...noteOn(dropped, script.pending.lastDropped)];
      try {
        script.place = await append(nodeFolder, script.place ?? (await openPlace(nodeFolder)), all, limits);
      } catch (error) {
        // Nobody knows how much of it came to the disk: the next lines look at what is there.
        script.place = undefined;
        script.pending.dropped += lines.length + dropped;
        script.pending.lastDropped = lines.at(-1) ?? script.pending.lastDropped;
        log.warn({ err: error, scriptName, lines: lines.length }, 'Lines of a worker could not be kept.');
        return;
      }
    }
  };

  const work = (scriptName: string, script: Script): void => {
    script.working ??= drain(scriptName, script)
      .catch((error: unknown) => log.warn({ err: error, scriptName }, 'Lines of a worker could not be kept.'))
      .finally(() => {
        script.working = undefined;
      });
  };

  return {
    write: (scriptName, line) => {
      const script = scriptOf(scriptName);
      const { pending } = script;
      const message = cut(redact(line.message), limits.messageBytes);
      const bytes = Buffer.byteLength(message) + 64;
      if (pending.bytes + bytes > limits.pendingBytes) {
        pending.dropped += 1;
        pending.lastDropped = line;
        return;
      }
      pending.lines.push({ ...line, message });
      pending.bytes += bytes;
      work(scriptName, script);
    },
    remove: async (scriptName) => {
      const script = scripts.get(scriptName);
      scripts.delete(scriptName);
      await script?.working;
      await rm(scriptFolder(folder, scriptName), { recursive: true, force: true });
    },
    flush: async () => {
      await Promise.all([...scripts.values()].map(({ working }) => working));
    },
  };
};

/** Empties what waits. */
const taken = (pending: Pending): { readonly lines: readonly LogLine[]; readonly dropped: number } => {
  const { lines, dropped } = pending;
  pending.lines = [];
  pending.bytes = 0;
  pending.dropped = 0;
  return { lines, dropped };
};

/** What was dropped is said in a line of its own, at the time of the last of it. */
const noteOn = (dropped: number, last: LogLine | undefined): readonly LogLine[] =>
  dropped === 0 || !last
    ? []
    : [{ ...last, origin: 'platform', level: 'warn', message: `${dropped} lines dropped: they could not be kept` }];

const cutMark = ' … [cut]';

const cut = (message: string, bytes: number): string => {
  if (Buffer.byteLength(message) <= bytes) return message;
  const kept = Buffer.from(message).subarray(0, bytes - Buffer.byteLength(cutMark));
  // A character of several bytes that was cut through is left out whole.
  return `${kept.toString('utf8').replace(/\uFFFD+$/, '')}${cutMark}`;
};

/** Where the last process stopped. A line that it did not finish is taken away. */
const openPlace = async (nodeFolder: string): Promise<Place> => {
  await mkdir(nodeFolder, { recursive: true, mode: 0o700 });
  const segment = (await listSegments(nodeFolder)).at(-1);
  if (segment === undefined) return { segment: 1, next: 1, bytes: 0 };
  const path = segmentPath(nodeFolder, segment);
  const content = await readFile(path);
  const bytes = content.lastIndexOf(10) + 1;
  if (bytes < content.length) await truncate(path, bytes);
  const last = content.subarray(0, bytes).toString('utf8').trimEnd().split('\n').at(-1) ?? '';
  const sequence = parseLine(last)?.sequence;
  return { segment, next: sequence === undefined ? segment : sequence + 1, bytes };
};

const append = async (
  nodeFolder: string,
  start: Place,
  lines: readonly LogLine[],
  limits: WorkerLogLimits,
): Promise<Place> => {
  let place = start;
  for (let written = 0; written < lines.length; ) {
    if (place.bytes >= limits.segmentBytes) {
      place = { segment: place.next, next: place.next, bytes: 0 };
      await removeOld(nodeFolder, limits.segments - 1);
    }
    let text = '';
    let { next } = place;
    for (; written < lines.length && place.bytes + text.length < limits.segmentBytes; written += 1) {
      const line = lines[written];
      if (line) text += formatLine(next++, line);
    }
    await appendFile(segmentPath(nodeFolder, place.segment), text, { mode: 0o600 });
    place = { segment: place.segment, next, bytes: place.bytes + Buffer.byteLength(text) };
  }
  return place;
};

const removeOld = async (nodeFolder: string, keep: number): Promise<void> => {
  const segments = await listSegments(nodeFolder);
  for (const segment of segments.slice(0, Math.max(0, segments.length - keep))) {
    await rm(segmentPath(nodeFolder, segment), { force: true });
  }
};
