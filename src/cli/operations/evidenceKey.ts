import { z } from 'zod';
import type { Operation } from './operation.ts';

const none = z.strictObject({});
const key = z.object({ keyId: z.string(), publicKey: z.string() });

/** The public half of the build key: what somebody elsewhere needs to verify evidence. */
export const evidenceKey: Operation<z.infer<typeof none>, never, z.infer<typeof key>> = {
  name: 'evidence-key',
  args: none,
  progress: z.never(),
  result: key,
  run: async ({ buildKey }) => ({ keyId: buildKey.keyId, publicKey: buildKey.publicKey }),
};
