import type { components } from './api.ts';
import { failStream, followStream } from './followStream.ts';
import type { OpslogClient } from './index.ts';

/** A CloudEvent 1.0. */
export type FollowedEvent = components['schemas']['Event'];

export type FollowEventsOptions = {
  readonly path: { readonly workspaceId: string };
  /** Position to begin after: `position` of an event, or `next` of a page; '0' is the beginning. Without it, now. */
  readonly after?: string;
  /** Only these; everything that the caller may see when not given. */
  readonly filter?: { readonly type?: string; readonly resourceType?: string; readonly resourceId?: string };
  readonly signal: AbortSignal;
  /** Called once for each event, in the order of the log. What it throws ends the following. */
  readonly onEvent: (event: FollowedEvent) => void;
};

/**
 * Follows the events of a workspace until the signal aborts, over broken connections and restarts of the server, without
 * one lost or twice. Throws OpslogProblem when the server refuses, for example because the caller may not read them any
 * more, and OpslogUnreachable when it was never reached.
 */
export const followEvents = (client: OpslogClient, options: FollowEventsOptions): Promise<void> => {
  const { path, filter, signal, onEvent } = options;
  return followStream({
    ...{ signal, after: options.after },
    connect: async (after) => {
      const { data, error, response } = await client.GET('/workspaces/{workspaceId}/events/stream', {
        params: { path, query: { ...filter, ...(after !== undefined && { after }) } },
        ...{ parseAs: 'stream', signal, headers: { accept: 'text/event-stream' } },
      });
      return data ?? failStream(error, response);
    },
    onEvent: ({ event, data }) => {
      if (event === 'message') onEvent(JSON.parse(data));
    },
  });
};
