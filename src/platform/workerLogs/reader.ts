import { join } from 'node:path';
import type { Clock } from '../clock/port.ts';
import { formatCursor, parseCursor } from './cursor.ts';
import { longestLine, workerLogLimits } from './limits.ts';
import { createNodeReader, type NodeReader } from './nodeReader.ts';
import type { LogBatch, LogStart, ReadLine, WorkerLogReader } from './port.ts';
import { listNodes, scriptFolder } from './segment.ts';

export type WorkerLogReaderOptions = {
  readonly folder: string;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Between two looks for new lines. */
  readonly pollMs?: number;
};

/** Lines of one batch while following: what a slow reader holds in memory. */
const batchLines = 100;
/** Of a line as most are; where they are longer, everything is read. */
const usualLineBytes = 512;
const chunkBytes = longestLine(workerLogLimits.messageBytes) + 16 * 1024;

export const createWorkerLogReader = ({ folder, clock, pollMs = 250 }: WorkerLogReaderOptions): WorkerLogReader => {
  const newest = async (scriptName: string, limit: number) => {
    const tailBytes = limit * usualLineBytes + chunkBytes;
    const quick = createScriptReader(folder, scriptName, { from: 'newest' }, tailBytes);
    const last = await lastOf(quick, limit);
    if (quick.isComplete(limit)) return { reader: quick, last };
    const reader = createScriptReader(folder, scriptName, { from: 'newest' });
    return { reader, last: await lastOf(reader, limit) };
  };
  return {
    isCursor: (text) => parseCursor(text) !== undefined,
    page: async (scriptName, start, limit) =>
      start.from === 'newest'
        ? (await newest(scriptName, limit)).last
        : createScriptReader(folder, scriptName, start).read(limit),
    follow: async function* (scriptName, start, signal) {
      let reader: ScriptReader;
      if (start.from === 'newest') {
        const begun = await newest(scriptName, 0);
        reader = begun.reader;
        yield begun.last;
      } else {
        reader = createScriptReader(folder, scriptName, start);
      }
      while (!signal.aborted) {
        const batch = await reader.read(batchLines);
        yield batch;
        if (batch.lines.length === 0) await clock.sleep(pollMs, signal);
      }
    },
  };
};

type ScriptReader = {
  read(limit: number): Promise<LogBatch>;
  /** Were the last lines of every node read, `limit` of each and one at least? */
  isComplete(limit: number): boolean;
};

/** Reads to the end and keeps the last lines. */
const lastOf = async (reader: ScriptReader, limit: number): Promise<LogBatch> => {
  let kept: readonly ReadLine[] = [];
  for (;;) {
    const { lines, cursor } = await reader.read(1_000);
    if (limit > 0 && lines.length > 0) kept = [...kept, ...lines].slice(-limit);
    if (lines.length === 0) return { lines: kept, cursor };
  }
};

type Source = { readonly node: string; readonly reader: NodeReader; count: number };

/** Lines of all nodes that the worker runs on, by time. */
const createScriptReader = (folder: string, scriptName: string, start: LogStart, tailBytes?: number): ScriptReader => {
  const cursor = new Map(start.from === 'cursor' ? parseCursor(start.cursor) : []);
  const since = start.from === 'time' ? start.at : 0;
  const sources = new Map<string, Source>();

  const sourceOf = (node: string): Source => {
    const known = sources.get(node);
    if (known) return known;
    const nodeFolder = join(scriptFolder(folder, scriptName), node);
    const after = start.from === 'cursor' ? (cursor.get(node) ?? 0) : undefined;
    const made = { node, reader: createNodeReader({ nodeFolder, after, chunkBytes, tailBytes }), count: 0 };
    sources.set(node, made);
    return made;
  };

  return {
    read: async (limit) => {
      let open = (await listNodes(folder, scriptName)).map(sourceOf);
      const lines: ReadLine[] = [];
      while (lines.length < limit) {
        for (const source of open.filter(({ reader }) => reader.peek() === undefined)) {
          if (!(await source.reader.fill())) open = open.filter((each) => each !== source);
        }
        const [first, ...others] = open;
        if (!first) break;
        const next = others.reduce((oldest, each) => (timeOf(each) < timeOf(oldest) ? each : oldest), first);
        const line = next.reader.peek();
        if (!line) break;
        next.reader.take();
        next.count += 1;
        const { sequence, ...shown } = line;
        cursor.set(next.node, sequence);
        if (line.at >= since) lines.push({ ...shown, cursor: formatCursor(cursor) });
      }
      return { lines, cursor: formatCursor(cursor) };
    },
    isComplete: (limit) =>
      [...sources.values()].every(({ reader, count }) => !reader.isTail() || count >= Math.max(1, limit)),
  };
};

const timeOf = ({ reader }: Source): number => reader.peek()?.at ?? Number.POSITIVE_INFINITY;
