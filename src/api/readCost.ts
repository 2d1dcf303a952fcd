import type { EventLog } from '../platform/eventLog/port.ts';
import type { ApiRequest } from './request.ts';

/** So many events, read and folded, cost the thread that answers about as much as a small request. */
const eventsPerRequest = 50;

/**
 * The log for work whose cost follows how long streams are. What was read of them is put on the workspace's account
 * afterwards, on credit: nobody knows it before, and the next ones wait until it is paid.
 */
export const onAccount = async <Result>(
  { limiters }: Pick<ApiRequest, 'limiters'>,
  { workspaceId, log }: { readonly workspaceId: string; readonly log: EventLog },
  work: (log: EventLog) => Promise<Result>,
): Promise<Result> => {
  let events = 0;
  const counting: EventLog = {
    ...log,
    readStream: async function* (stream, options) {
      for await (const event of log.readStream(stream, options)) {
        events += 1;
        yield event;
      }
    },
  };
  try {
    return await work(counting);
  } finally {
    limiters.perWorkspace.owe(workspaceId, Math.floor(events / eventsPerRequest));
  }
};
