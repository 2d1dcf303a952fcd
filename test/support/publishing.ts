import { vi } from 'vitest';
import { systemClock, systemRandom } from '../../src/platform/clock/system.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import type { Log } from '../../src/platform/log/port.ts';
import { openNats } from '../../src/platform/nats/nats.ts';
import { startPublisher } from '../../src/sagas/publisher.ts';
import type { StoredMessage, TestBus } from './nats.ts';

export type Publishing = {
  /** Everything on the bus, once all that is in the log is there. */
  stored(): Promise<readonly StoredMessage[]>;
  stop(): Promise<void>;
};

/** Publishes a log from its beginning, as the program does. */
export const startPublishing = (test: TestBus, log: EventLog, logger: Log): Publishing => {
  const bus = openNats({ url: test.url, stream: test.stream, subjectPrefix: test.prefix, logger });
  const publisher = startPublisher({
    ...{ log, bus, logger, subjectPrefix: test.prefix, clock: systemClock, random: systemRandom },
    checkpoints: { load: async () => 0n, save: async () => {} },
  });
  return {
    stored: async () => {
      const head = await log.head();
      const waiting = () => {
        const { position, lastError } = publisher.status();
        if (position < head) throw new Error(`Published up to ${position} of ${head}. ${lastError}`);
      };
      await vi.waitFor(waiting, { timeout: 60_000, interval: 20 });
      return test.stored();
    },
    stop: async () => {
      await publisher.stop();
      await bus.close();
    },
  };
};
