import type { Parts } from '../parts.ts';
import { systemClock, systemRandom } from '../platform/clock/system.ts';
import { openNats } from '../platform/nats/nats.ts';
import { createCheckpointStore } from '../projections/checkpointStore.ts';
import { startPublisher } from '../sagas/publisher.ts';
import type { Closing } from './closing.ts';
import type { Metrics } from './metrics.ts';

/** Publishes every event when NATS is configured. Its lag is a figure, not a condition of readiness: commands do not need it. */
export const startPublishing = (parts: Parts, metrics: Metrics, closing: Closing): void => {
  const { config, log, database, logger } = parts;
  if (!config.nats) return;
  const { url, stream, subjects } = config.nats;
  const bus = openNats({ url, stream, subjectPrefix: subjects, logger });
  closing.add(() => bus.close());
  const publisher = startPublisher({
    ...{ log, bus, logger, clock: systemClock, random: systemRandom, subjectPrefix: subjects },
    checkpoints: createCheckpointStore(database),
  });
  closing.add(() => publisher.stop());
  metrics.gauge('opslog_publisher_lag_seconds', 'Age of the oldest event not yet stored on NATS.', () => {
    return publisher.status().lagMs / 1_000;
  });
};
