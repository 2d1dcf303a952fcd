import { z } from 'zod';
import type { Operation } from './operation.ts';

const none = z.strictObject({});
const progress = z.object({ version: z.number(), done: z.number(), total: z.number() });
const result = z.object({
  version: z.number(),
  rewrapped: z.number(),
  resumed: z.boolean(),
  /** Ids of data keys that no master key opens; they stay as they are. */
  unreadable: z.array(z.string()),
  durationMs: z.number(),
});

/** Wraps every data key with a new version of the master key; finishes a rotation that was interrupted. */
export const keysRotate: Operation<z.infer<typeof none>, z.infer<typeof progress>, z.infer<typeof result>> = {
  name: 'keys-rotate',
  args: none,
  progress,
  result,
  run: async ({ keyring }, _, onProgress, signal) => {
    const startedAt = performance.now();
    const { unreadable, ...rotated } = await keyring.rotate({ onProgress, signal });
    return { ...rotated, unreadable: [...unreadable], durationMs: Math.round(performance.now() - startedAt) };
  },
};
