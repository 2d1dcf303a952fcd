import type { components } from './api.ts';
import type { OpslogClient } from './index.ts';
import { sleep } from './patience.ts';
import { OpslogProblem, OpslogUnreachable, problemIn } from './problem.ts';

export type FollowedLine = Omit<components['schemas']['WorkerLogLine'], 'cursor'>;

export type FollowLogsOptions = {
  readonly path: { readonly workspaceId: string; readonly departmentId: string };
  /** Where to begin: the cursor of a line, or `next` of a page. Without it, now. */
  readonly after?: string;
  readonly signal: AbortSignal;
  readonly onLine: (line: FollowedLine) => void;
  /** Lines that are gone; null when nobody knows how many. */
  readonly onDropped?: (lines: number | null) => void;
};

type StreamEvent = { readonly id: string | undefined; readonly event: string; readonly data: string };

/**
 * Follows the lines of a worker until the signal aborts. A connection that breaks is made again from the last line on,
 * however long that takes. Throws OpslogProblem when the server refuses, for example because the caller may not read them
 * any more, and OpslogUnreachable when it was never reached.
 */
export const followLogs = async (client: OpslogClient, options: FollowLogsOptions): Promise<void> => {
  const { path, signal, onLine, onDropped = () => {} } = options;
  let place = options.after;
  let wasConnected = false;
  while (!signal.aborted) {
    try {
      const stream = await connect(client, path, place, signal);
      wasConnected = true;
      for await (const { id, event, data } of events(stream)) {
        if (event === 'message') onLine(JSON.parse(data));
        else if (event === 'dropped') onDropped(JSON.parse(data).lines);
        if (id !== undefined) place = id;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof OpslogProblem) throw error;
      // What was reached before is waited for: the lines of the meantime are kept.
      if (error instanceof OpslogUnreachable && !wasConnected) throw error;
    }
    await sleep(500, signal).catch(() => {});
  }
};

const connect = async (
  client: OpslogClient,
  path: FollowLogsOptions['path'],
  after: string | undefined,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> => {
  const { data, error, response } = await client.GET(
    '/workspaces/{workspaceId}/departments/{departmentId}/worker/logs/stream',
    {
      params: { path, query: after === undefined ? {} : { after } },
      ...{ parseAs: 'stream', signal, headers: { accept: 'text/event-stream' } },
    },
  );
  if (data) return data;
  const problem = problemIn(error);
  if (problem) throw new OpslogProblem(problem);
  throw new OpslogUnreachable(`${new URL(response.url).origin} answered ${response.status} in place of a stream.`);
};

/** Events of a stream, as the HTML standard reads them; the server writes one line of data for each. */
async function* events(stream: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const event = parseEvent(text.slice(0, end));
        text = text.slice(end + 2);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

const parseEvent = (text: string): StreamEvent | undefined => {
  const fields = new Map(
    text.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    }),
  );
  const data = fields.get('data');
  return data === undefined ? undefined : { id: fields.get('id'), event: fields.get('event') ?? 'message', data };
};
