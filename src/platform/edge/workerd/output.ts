import type { Readable } from 'node:stream';
import { z } from 'zod';

export type Line = { readonly origin: 'console' | 'runtime'; readonly level: string; readonly message: string };

const structured = z.object({ level: z.string(), message: z.string(), source: z.string().optional() });

/** One line of the process's structured log; anything else (a raw write, a line cut short) is taken as it is. */
export const parseLine = (text: string): Line => {
  const raw: Line = { origin: 'console', level: 'log', message: text };
  if (!text.startsWith('{')) return raw;
  try {
    const parsed = structured.safeParse(JSON.parse(text));
    if (!parsed.success) return raw;
    const { level, message, source } = parsed.data;
    return { origin: source === undefined ? 'console' : 'runtime', level, message };
  } catch {
    return raw;
  }
};

/** Calls back once per line. Of a longer line only the first `lineBytes` are kept, so no output can fill our memory. */
export const readLines = (stream: Readable, lineBytes: number, onLine: (text: string) => void): void => {
  let parts: Buffer[] = [];
  let held = 0;
  const keep = (piece: Buffer): void => {
    const kept = piece.subarray(0, lineBytes - held);
    if (kept.length > 0) parts.push(kept);
    held += kept.length;
  };
  const flush = (): void => {
    if (held > 0) onLine(Buffer.concat(parts).toString('utf8'));
    parts = [];
    held = 0;
  };
  stream.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      keep(chunk.subarray(start, end));
      flush();
      start = end + 1;
    }
    keep(chunk.subarray(start));
  });
  stream.on('end', flush);
  stream.on('error', flush);
};

/** A token bucket: `burst` lines at once, then `perSecond`. `take` tells how many were dropped before this one. */
export const createLineBudget = (now: () => number, burst: number, perSecond: number) => {
  let tokens = burst;
  let at = now();
  let dropped = 0;
  return {
    take: (): { readonly allowed: boolean; readonly droppedBefore: number } => {
      const current = now();
      tokens = Math.min(burst, tokens + (Math.max(0, current - at) / 1000) * perSecond);
      at = current;
      if (tokens < 1) {
        dropped += 1;
        return { allowed: false, droppedBefore: 0 };
      }
      tokens -= 1;
      const droppedBefore = dropped;
      dropped = 0;
      return { allowed: true, droppedBefore };
    },
  };
};
