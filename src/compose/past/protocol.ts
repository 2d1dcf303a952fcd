import { z } from 'zod';

/** What the process of a look back is asked. The first is a replay; what it is given to read comes page by page. */
export const pastAsked = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('replay'),
    id: z.number(),
    eventStoreUrl: z.string(),
    logPatienceMs: z.number(),
    position: z.number(),
  }),
  z.object({ kind: z.literal('streams'), names: z.array(z.string()), last: z.boolean() }),
  z.object({ kind: z.literal('query'), id: z.number(), name: z.string(), args: z.unknown() }),
]);
export type PastAsked = z.output<typeof pastAsked>;

/** What it answers, under the number of the question. */
export const pastSaid = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), id: z.number(), value: z.unknown() }),
  z.object({ ok: z.literal(false), id: z.number(), name: z.string(), reason: z.string() }),
]);
export type PastSaid = z.output<typeof pastSaid>;

export const replayedAnswer = z.object({ streams: z.number(), events: z.number(), rows: z.number() });
