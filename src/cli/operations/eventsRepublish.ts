import { z } from 'zod';
import { systemClock, systemRandom } from '../../platform/clock/system.ts';
import { openNats } from '../../platform/nats/nats.ts';
import { republish } from '../../sagas/publisher.ts';
import { type Operation, OperationRefused } from './operation.ts';
import { positionText } from './position.ts';

const args = z.strictObject({ after: positionText.optional(), to: positionText.optional() });
const result = z.object({ stream: z.string(), published: z.number(), position: z.string(), durationMs: z.number() });

/** Publishes a part of the log again: for a stream that was lost. Consumers recognise what they had by the event id. */
export const eventsRepublish: Operation<z.infer<typeof args>, never, z.infer<typeof result>> = {
  name: 'events-republish',
  args,
  progress: z.never(),
  result,
  run: async ({ config, log, logger }, { after, to }, _, signal) => {
    if (!config.nats) {
      throw new OperationRefused('nats_missing', 'No NATS is configured: set NATS_URL where this Opslog runs.');
    }
    const { url, stream, subjects } = config.nats;
    const bus = openNats({ url, stream, subjectPrefix: subjects, logger });
    const startedAt = performance.now();
    try {
      await bus.ready();
      const sending = { log, bus, logger, clock: systemClock, random: systemRandom, subjectPrefix: subjects };
      const { published, position } = await republish(sending, {
        signal,
        ...(after !== undefined && { after: BigInt(after) }),
        ...(to !== undefined && { to: BigInt(to) }),
      });
      return { stream, published, position: String(position), durationMs: Math.round(performance.now() - startedAt) };
    } finally {
      await bus.close();
    }
  },
};
