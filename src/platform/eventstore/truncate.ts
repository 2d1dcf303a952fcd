import { decodeStored } from './record.ts';
import { nameKey, openTables } from './store.ts';

export type Truncated = { readonly events: number; readonly removed: number };

const batchSize = 1_000;

/**
 * Takes everything after a position out of a store that nobody else has open: what is left is the log as it was then.
 * Answers how many events are left and how many went.
 */
export const truncateStore = async (folder: string, position: number): Promise<Truncated> => {
  const { root, log, streams, index } = await openTables(folder, true);
  try {
    // All positions first: a cursor must not meet what is being removed.
    const after = [...log.getKeys({ start: position + 1 })];
    for (let from = 0; from < after.length; from += batchSize) {
      const records = after.slice(from, from + batchSize).map((at) => {
        const stored = log.getBinary(at);
        if (stored === undefined) throw new Error(`The event at ${at} is gone while the store is truncated.`);
        const { stream, revision } = decodeStored(stored);
        return { at, stream, revision, number: streams.get(nameKey(stream)) };
      });
      await root.batch(() => {
        for (const { at, stream, revision, number } of records) {
          log.remove(at);
          if (number !== undefined) index.remove([number, revision]);
          // Revisions count from 0: the stream began after the position.
          if (revision === 0) streams.remove(nameKey(stream));
        }
      });
    }
    return { events: log.getCount(), removed: after.length };
  } finally {
    await root.close();
  }
};
