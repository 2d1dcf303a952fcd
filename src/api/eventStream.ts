import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** One event as the HTML standard has it: `data` becomes JSON on one line; without a name it is a `message`. */
export type ServerEvent = { readonly id?: string; readonly event?: string; readonly data: unknown };

export const formatEvent = ({ id, event, data }: ServerEvent): string => {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  const nameLine = event === undefined ? '' : `event: ${event}\n`;
  return `${idLine}${nameLine}data: ${JSON.stringify(data)}\n\n`;
};

/** After which time a client comes back, and how long one that takes nothing may hold its connection. */
export const streamTiming = { retryMs: 1_000, heartbeatMs: 15_000, stalledMs: 60_000 } as const;

export const streamHeaders = {
  // Proxies that collect answers would keep the lines back.
  'X-Accel-Buffering': 'no',
} as const;

/** Resolves when the client has room for more; false when it is gone, or has taken nothing for too long. */
export const writeTo = async (
  response: ServerResponse,
  text: string,
  signal: AbortSignal,
  stalledMs: number = streamTiming.stalledMs,
): Promise<boolean> => {
  if (response.destroyed || signal.aborted) return false;
  if (response.write(text)) return true;
  try {
    await once(response, 'drain', { signal: AbortSignal.any([signal, AbortSignal.timeout(stalledMs)]) });
    return true;
  } catch {
    // Too slow, gone, or the end of the program: ending it politely would wait for the same client.
    if (!signal.aborted) response.destroy();
    return false;
  }
};
