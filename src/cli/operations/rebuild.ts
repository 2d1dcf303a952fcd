import { z } from 'zod';
import { createTables, rebuild as rebuildTables } from '../../projections/engine/index.ts';
import { type Operation, OperationRefused } from './operation.ts';

const args = z.strictObject({ tables: z.array(z.string()) });

const progress = z.object({
  phase: z.enum(['replaying', 'indexing', 'swapping']),
  events: z.number(),
  rows: z.number(),
  position: z.string(),
  /** The end of the log as it was at the start. */
  head: z.string(),
});
export type RebuildLine = z.infer<typeof progress>;

const result = z.object({
  tables: z.array(z.string()),
  events: z.number(),
  rows: z.number(),
  position: z.string(),
  durationMs: z.number(),
});
export type RebuildResult = z.infer<typeof result>;

/** Builds read tables anew beside the live ones and swaps them in one step. No names: every table. */
export const rebuild: Operation<z.infer<typeof args>, RebuildLine, RebuildResult> = {
  name: 'rebuild',
  args,
  progress,
  result,
  run: async ({ log, database, tables, decode }, { tables: only }, onProgress, signal) => {
    const known = new Set<string>(tables.map(({ name }) => name));
    const unknown = only.filter((name) => !known.has(name));
    if (unknown.length > 0) {
      throw new OperationRefused(
        'table_unknown',
        `There is no read table ${unknown.join(', ')}. There are: ${[...known].join(', ')}.`,
      );
    }
    const startedAt = performance.now();
    await createTables(database, tables);
    const rebuilt = await rebuildTables({
      ...{ log, database, tables, decode, signal },
      ...(only.length > 0 && { only }),
      onProgress: ({ position, head, ...rest }) =>
        void onProgress({ ...rest, position: String(position), head: String(head) }),
    });
    return {
      ...rebuilt,
      tables: [...rebuilt.tables],
      position: String(rebuilt.position),
      durationMs: Math.round(performance.now() - startedAt),
    };
  },
};
