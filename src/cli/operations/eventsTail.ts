import { z } from 'zod';
import { maskSecrets } from '../../domain/masking.ts';
import type { EventLog, LogBatch, StoredEvent } from '../../platform/eventLog/port.ts';
import type { Operation } from './operation.ts';
import { positionText } from './position.ts';

const args = z.strictObject({
  /** Exclusive; the end of the log when not given. */
  from: positionText.optional(),
  stream: z.string().optional(),
  category: z.string().optional(),
  follow: z.boolean(),
});

/** An event as an operator sees it: secrets masked, long texts left out. */
const shown = z.object({
  position: z.string(),
  stream: z.string(),
  revision: z.number(),
  type: z.string(),
  id: z.string(),
  /** Milliseconds since the epoch. */
  recordedAt: z.number(),
  data: z.unknown(),
  metadata: z.unknown(),
});
export type ShownEvent = z.infer<typeof shown>;

export const eventsTail: Operation<z.infer<typeof args>, ShownEvent, { events: number }> = {
  name: 'events-tail',
  args,
  progress: shown,
  result: z.object({ events: z.number() }),
  run: async ({ log }, { from, stream, category, follow }, onProgress, signal) => {
    const after = from === undefined ? await log.head() : BigInt(from);
    let events = 0;
    for await (const batch of batchesOf(log, after, follow, signal)) {
      for (const event of batch.events) {
        if (signal.aborted) return { events };
        if (stream !== undefined && event.stream !== stream) continue;
        if (category !== undefined && !event.stream.startsWith(`${category}-`)) continue;
        events += 1;
        await onProgress(show(event));
      }
    }
    return { events };
  },
};

const batchesOf = (log: EventLog, after: bigint, follow: boolean, signal: AbortSignal): AsyncIterable<LogBatch> =>
  follow ? log.subscribe({ after, signal }) : log.readAllBatches({ after });

const show = ({ position, stream, revision, type, id, recordedAt, data, metadata }: StoredEvent): ShownEvent => ({
  ...{ position: String(position), stream, revision, type, id, recordedAt },
  data: maskSecrets(data, { maxStringLength: 2_000 }),
  metadata: maskSecrets(metadata, { maxStringLength: 2_000 }),
});
