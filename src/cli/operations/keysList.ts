import { z } from 'zod';
import type { Operation } from './operation.ts';

const none = z.strictObject({});
const listed = z.object({
  masterKeys: z.array(
    z.object({
      version: z.number(),
      source: z.enum(['file', 'configuration', 'missing']),
      status: z.enum(['inUse', 'retiring']),
      wraps: z.boolean(),
      dataKeys: z.number(),
    }),
  ),
  destroyedDataKeys: z.number(),
  unfinishedRotation: z.number().nullable(),
});
export type KeysListed = z.infer<typeof listed>;

/** The versions of the master key, and how many data keys need each. */
export const keysList: Operation<z.infer<typeof none>, never, KeysListed> = {
  name: 'keys-list',
  args: none,
  progress: z.never(),
  result: listed,
  run: async ({ keyring }) => {
    const { masterKeys, ...rest } = await keyring.list();
    return { ...rest, masterKeys: [...masterKeys] };
  },
};
