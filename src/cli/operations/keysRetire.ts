import { z } from 'zod';
import { type Operation, OperationRefused } from './operation.ts';

const args = z.strictObject({ version: z.int().positive() });
const result = z.object({ version: z.number(), source: z.enum(['file', 'configuration']) });

/** Destroys a version of the master key that nothing needs any more. */
export const keysRetire: Operation<z.infer<typeof args>, never, z.infer<typeof result>> = {
  name: 'keys-retire',
  args,
  progress: z.never(),
  result,
  run: async ({ keyring }, { version }) => {
    const retired = await keyring.retire(version);
    if (retired.ok) return { version, source: retired.source };
    switch (retired.code) {
      case 'unknown':
        throw new OperationRefused(
          'master_key_unknown',
          `There is no version ${version} of the master key. "opslog keys list" shows those there are.`,
        );
      case 'newest':
        throw new OperationRefused(
          'master_key_newest',
          `Version ${version} wraps new keys. Run "opslog keys rotate" first: it makes the version that takes its place.`,
        );
      case 'used':
        throw new OperationRefused(
          'master_key_used',
          `${retired.dataKeys} data keys need version ${version}. Run "opslog keys rotate", then retire it.`,
        );
      default:
        return retired satisfies never;
    }
  },
};
