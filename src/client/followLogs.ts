import type { components } from './api.ts';
import { failStream, followStream } from './followStream.ts';
import type { OpslogClient } from './index.ts';

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

/**
 * Follows the lines of a worker until the signal aborts. A connection that breaks is made again from the last line on,
 * however long that takes. Throws OpslogProblem when the server refuses, for example because the caller may not read them
 * any more, and OpslogUnreachable when it was never reached.
 */
export const followLogs = async (client: OpslogClient, options: FollowLogsOptions): Promise<void> => {
  const { path, signal, onLine, onDropped = () => {} } = options;
  await followStream({
    ...{ signal, after: options.after, connect: (after) => connect(client, path, after, signal) },
    onEvent: ({ event, data }) => {
      if (event === 'message') onLine(JSON.parse(data));
      else if (event === 'dropped') onDropped(JSON.parse(data).lines);
    },
  });
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
  return data ?? failStream(error, response);
};
