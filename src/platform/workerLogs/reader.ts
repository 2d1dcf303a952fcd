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

export const createWorkerLogReader = ({ folder, clock, pollMs = 250 }: WorkerLogReaderOptions): WorkerLogReader => {
  const open = (scriptName: string, start: LogStart) => createScriptReader(folder, scriptName, start);
  return {
    isCursor: (text) => parseCursor(text) !== undefined,
    page: async (scriptName, start, limit) => {
      const reader = open(scriptName, start);
      return start.from === 'newest' ? lastOf(reader, limit) : reader.read(limit);
    },
    follow: async function* (scriptName, start, signal) {
      const reader = open(scriptName, start);
      if (start.from === 'newest') yield lastOf(reader, 0);
      while (!signal.aborted) {
        const batch = await reader.read(batchLines);
        yield batch;
        if (batch.lines.length === 0) await clock.sleep(pollMs, signal);
      }
    },
  };
};

type ScriptReader = { read(limit: number): Promise<LogBatch> };

/** Reads to the end and keeps the last lines. */
const lastOf = async (reader: ScriptReader, limit: number): Promise<LogBatch> => {
  let kept: readonly ReadLine[] = [];
  for (;;) {
    const { lines, cursor } = await reader.read(500);
    kept = limit === 0 ? [] : [...kept, ...lines].slice(-limit);
    if (lines.length === 0) return { lines: kept, cursor };
  }
};

/** Lines of all nodes that the worker runs on, by time. */
const createScriptReader = (folder: string, scriptName: string, start: LogStart): ScriptReader => {
  const cursor = new Map(start.from === 'cursor' ? parseCursor(start.cursor) : []);
  const since = start.from === 'time' ? start.at : 0;
  const chunkBytes = longestLine(workerLogLimits.messageBytes) + 16 * 1024;
  const readers = new Map<string, NodeReader>();

  const readerOf = (node: string): NodeReader => {
    const reader =
      readers.get(node) ??
      createNodeReader(
        join(scriptFolder(folder, scriptName), node),
        start.from === 'cursor' ? (cursor.get(node) ?? 0) : undefined,
        chunkBytes,
      );
    readers.set(node, reader);
    return reader;
  };

  return {
    read: async (limit) => {
      const nodes = await listNodes(folder, scriptName);
      const lines: ReadLine[] = [];
      while (lines.length < limit) {
        const heads = await Promise.all(nodes.map(async (node) => ({ node, line: await readerOf(node).peek() })));
        const present = heads.flatMap(({ node, line }) => (line ? [{ node, line }] : []));
        const [first] = present.sort((a, b) => a.line.at - b.line.at);
        if (!first) break;
        const { sequence, ...line } = first.line;
        readerOf(first.node).take();
        cursor.set(first.node, sequence);
        if (line.at >= since) lines.push({ ...line, cursor: formatCursor(cursor) });
      }
      return { lines, cursor: formatCursor(cursor) };
    },
  };
};
