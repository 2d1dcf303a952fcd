import type { EventLog, StoredEvent } from '../../platform/eventLog/port.ts';

/**
 * The log with the events of one workspace alone. One of nobody in a stream of the workspace, as older writers left them,
 * counts with it. A host name that somebody else took later stays as this workspace left it.
 */
export const workspaceLog = (log: EventLog, workspaceId: string): Pick<EventLog, 'readAllBatches'> => ({
  readAllBatches: async function* (options) {
    const streams = new Set([`workspace-${workspaceId}`]);
    const isOfIt = ({ stream, metadata }: StoredEvent): boolean => {
      const owner = metadata['workspaceId'];
      if (owner === workspaceId) streams.add(stream);
      return owner === workspaceId || ((owner === '' || owner === undefined) && streams.has(stream));
    };
    for await (const batch of log.readAllBatches(options)) {
      yield { ...batch, events: batch.events.filter(isOfIt) };
    }
  },
});
