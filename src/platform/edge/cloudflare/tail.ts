import { WebSocket } from 'ws';
import { z } from 'zod';
import { clip } from '../../../domain/kernel.ts';
import type { Clock } from '../../clock/port.ts';
import type { Log } from '../../log/port.ts';
import { type LiveTail, type LogBatch, type LogLine, liveCursor, type ReadLine } from '../../workerLogs/port.ts';
import { createApi } from './api.ts';
import { createBudget } from './budget.ts';
import { createClient } from './client.ts';

export type CloudflareTailOptions = {
  readonly accountId: string;
  readonly token: () => string;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
};

/** Opens a tail of a script; `redact` is asked for every text before anybody sees it. */
export type CloudflareTail = (
  scriptName: string,
  redact: (text: string) => string,
  signal: AbortSignal,
) => Promise<LiveTail>;

const limits = {
  /** Lines that wait for a slow reader. */
  queued: 1_000,
  /** Characters of one message. */
  message: 8_192,
  payloadBytes: 1024 * 1024,
  handshakeMs: 10_000,
  /** An empty batch after so long without a line. */
  idleMs: 1_000,
  /** Requests in five minutes, of the 1200 that the account has for everything. */
  requests: 100,
} as const;

/** Tails of an account: each is a registration at the API and a websocket that it names, and ends with its reader. */
export const createCloudflareTail = ({ accountId, baseUrl, ...rest }: CloudflareTailOptions): CloudflareTail => {
  const budget = createBudget({ clock: rest.clock, requests: limits.requests });
  const client = createClient({ ...rest, baseUrl: baseUrl.replace(/\/+$/, ''), budget, requestTimeoutMs: 10_000 });
  const api = createApi(client, accountId);
  return async (scriptName, redact, signal) => {
    const opened = await api.createTail(signal, scriptName);
    if (opened.verdict !== 'done') return { ok: false, detail: `Cloudflare opens no tail now: ${opened.detail}` };
    const { id, url } = opened.result;
    // The signal of the reader is over by then.
    const giveBack = () => void api.deleteTail(AbortSignal.timeout(10_000), scriptName, id);
    const queue = createQueue();
    const socket = new WebSocket(url, 'trace-v1', {
      ...{ maxPayload: limits.payloadBytes, handshakeTimeout: limits.handshakeMs, followRedirects: false },
    });
    const ready = await new Promise<boolean>((resolve) => {
      socket.once('open', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.once('close', () => resolve(false));
      signal.addEventListener('abort', () => resolve(false), { once: true });
    });
    const close = (): void => {
      socket.terminate();
      giveBack();
    };
    if (!ready) {
      close();
      return { ok: false, detail: 'The tail that Cloudflare opened cannot be reached.' };
    }
    socket.on('message', (data) => {
      for (const line of linesOf(String(data)))
        queue.add({ ...line, message: clip(redact(line.message), limits.message) });
    });
    socket.once('close', queue.end);
    signal.addEventListener('abort', queue.end, { once: true });
    if (signal.aborted) queue.end();
    signal.addEventListener('abort', close, { once: true });
    return { ok: true, batches: batchesOf(queue, close) };
  };
};

type Queue = ReturnType<typeof createQueue>;

/** Holds so many lines and no more: what does not fit is counted and told with the next one that does. */
const createQueue = () => {
  let lines: ReadLine[] = [];
  let dropped = 0;
  let over = false;
  let wake = (): void => {};
  return {
    add: (line: LogLine): void => {
      if (lines.length >= limits.queued) {
        dropped += 1;
        return;
      }
      lines.push({ ...line, cursor: liveCursor, droppedBefore: dropped });
      dropped = 0;
      wake();
    },
    end: (): void => {
      over = true;
      wake();
    },
    isOver: () => over,
    /** What is there, at the latest after `ms`. */
    take: async (ms: number): Promise<readonly ReadLine[]> => {
      if (lines.length === 0 && !over) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const taken = lines;
      lines = [];
      return taken;
    },
  };
};

async function* batchesOf(queue: Queue, close: () => void): AsyncGenerator<LogBatch> {
  try {
    yield { lines: [], cursor: liveCursor };
    for (;;) {
      const lines = await queue.take(limits.idleMs);
      if (lines.length === 0 && queue.isOver()) return;
      yield { lines, cursor: liveCursor };
    }
  } finally {
    close();
  }
}

/** Of a trace event, what was written and what was thrown. */
const trace = z.object({
  eventTimestamp: z.number().nullish(),
  logs: z.array(z.object({ level: z.string(), message: z.unknown(), timestamp: z.number() })).default([]),
  exceptions: z.array(z.object({ name: z.string(), message: z.unknown(), timestamp: z.number() })).default([]),
});

const textOf = (message: unknown): string => {
  const parts: readonly unknown[] = Array.isArray(message) ? message : [message];
  return parts.map((part) => (typeof part === 'string' ? part : (JSON.stringify(part) ?? 'undefined'))).join(' ');
};

const linesOf = (text: string): readonly LogLine[] => {
  try {
    const { logs, exceptions } = trace.parse(JSON.parse(text));
    const revision = 0;
    return [
      ...logs.map(
        ({ level, message, timestamp: at }): LogLine => ({
          ...{ at, revision, origin: 'console', level, message: textOf(message) },
        }),
      ),
      ...exceptions.map(
        ({ name, message, timestamp: at }): LogLine => ({
          ...{ at, revision, origin: 'runtime', level: 'error', message: `${name}: ${textOf(message)}` },
        }),
      ),
    ].sort((a, b) => a.at - b.at);
  } catch {
    return [];
  }
};
