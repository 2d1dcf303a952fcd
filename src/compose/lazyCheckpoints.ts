import type { Position } from '../platform/eventLog/port.ts';
import type { Log } from '../platform/log/port.ts';
import type { CheckpointStore } from '../sagas/reactor.ts';
import type { Closing } from './closing.ts';
import { throttle } from './throttle.ts';

/**
 * Writes a checkpoint at once, then at most every `everyMs`, and the last one at the end: under load a write for every
 * batch would cost more than repeating what a crash leaves out.
 */
export const lazyCheckpoints = (
  store: CheckpointStore,
  { everyMs, logger }: { readonly everyMs: number; readonly logger: Log },
  closing: Closing,
): CheckpointStore => {
  const unsaved = new Map<string, Position>();
  const write = async (): Promise<void> => {
    for (const [name, position] of [...unsaved]) {
      unsaved.delete(name);
      await store.save(name, position).catch((error: unknown) => {
        logger.warn({ err: error, name }, 'A checkpoint cannot be saved now');
      });
    }
  };
  const writing = throttle(() => void write(), everyMs);
  closing.add(async () => {
    writing.stop();
    await write();
  });
  return {
    load: store.load,
    save: async (name, position) => {
      unsaved.set(name, position);
      writing.call();
    },
  };
};
