import { z } from 'zod';
import { type Operation, OperationRefused } from './operation.ts';

const args = z.strictObject({});
const names = z.array(z.string());
const result = z.object({
  ...{ started: names, stopped: names, kept: names, busy: names, unknown: names },
  failed: z.array(z.object({ scriptName: z.string(), detail: z.string() })),
});
export type ResyncResult = z.infer<typeof result>;

/** Has the running node put back everything that should run, from the log and the artifact store. */
export const resync: Operation<z.infer<typeof args>, never, ResyncResult> = {
  name: 'resync',
  args,
  progress: z.never(),
  result,
  run: async ({ running }, _, __, signal) => {
    if (!running.resync) {
      throw new OperationRefused(
        'no_node',
        'No server with the runner role has this folder open. A start of "opslog serve" resyncs by itself.',
      );
    }
    const { started, stopped, kept, busy, unknown, failed } = await running.resync(signal);
    return {
      ...{ started: [...started], stopped: [...stopped], kept: [...kept], busy: [...busy], unknown: [...unknown] },
      failed: failed.map((each) => ({ ...each })),
    };
  },
};
