import { z } from 'zod';
import { openDatabase } from '../../platform/database/database.ts';
import { digest, replayInto, rowsOf } from '../../projections/engine/index.ts';
import { type Operation, OperationRefused } from './operation.ts';
import { type Moment, moment } from './position.ts';

const args = z.strictObject({
  at: moment.optional(),
  /** Whose rows are wanted; none for their counts and digests alone. */
  rowsOf: z.union([z.literal('all'), z.array(z.string())]),
});

const progress = z.union([
  z.object({ events: z.number(), position: z.string(), head: z.string() }),
  z.object({ table: z.string(), row: z.record(z.string(), z.unknown()) }),
]);
export type ReplayLine = z.infer<typeof progress>;

const result = z.object({
  /** Where in the log the answer stands. */
  position: z.string(),
  events: z.number(),
  tables: z.array(z.object({ table: z.string(), rows: z.number(), sha256: z.string() })),
});
export type ReplayResult = z.infer<typeof result>;

/** Builds the read model as of a moment in a scratch database in memory, and answers its rows in the order of their keys. */
export const replayTables: Operation<z.infer<typeof args>, ReplayLine, ReplayResult> = {
  name: 'replay-tables',
  args,
  progress,
  result,
  run: async ({ log, tables, decode }, { at, rowsOf: wanted }, onProgress, signal) => {
    const known = new Set<string>(tables.map(({ name }) => name));
    const unknown = wanted === 'all' ? [] : wanted.filter((name) => !known.has(name));
    if (unknown.length > 0) {
      throw new OperationRefused(
        'table_unknown',
        `There is no read table ${unknown.join(', ')}. There are: ${[...known].join(', ')}.`,
      );
    }
    const head = String(await log.head());
    const scratch = await openDatabase('pglite:memory');
    try {
      const replayed = await replayInto(scratch, {
        ...{ log, tables, decode, signal },
        ...(at && { until: untilOf(at) }),
        onProgress: ({ events, position }) => void onProgress({ events, position: String(position), head }),
      });
      const digests: ReplayResult['tables'] = [];
      for (const table of tables) {
        digests.push({ table: table.name, ...(await digest(scratch, table)) });
        if (wanted !== 'all' && !wanted.includes(table.name)) continue;
        for await (const row of rowsOf(scratch.session, scratch, table)) {
          signal.throwIfAborted();
          await onProgress({ table: table.name, row });
        }
      }
      return { position: String(replayed.position), events: replayed.events, tables: digests };
    } finally {
      await scratch.close();
    }
  },
};

const untilOf = (at: Moment) => ('time' in at ? at : { position: BigInt(at.position) });
