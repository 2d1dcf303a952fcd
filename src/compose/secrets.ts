import type { Parts } from '../parts.ts';
import type { SecretReader } from '../platform/edge/secretReader.ts';
import type { JobKinds } from '../sagas/jobs/effect.ts';
import type { Reactor } from '../sagas/reactor.ts';
import { createSecretReader } from '../sagas/readSecrets.ts';
import { removeOrphanedSecrets } from '../sagas/removeOrphanedSecrets.ts';
import { enqueueShredding, shredKind, shredRemovedSecrets } from '../sagas/shredRemovedSecrets.ts';
import type { ReadTablesPart } from './readTables.ts';

/** For every provider: what a revision pins, read anew for each use. */
export const secretValuesOf = ({ log, vault }: Pick<Parts, 'log' | 'vault'>): SecretReader =>
  createSecretReader({ log, vault });

export const secretJobKinds = ({ aggregates, vault }: Pick<Parts, 'aggregates' | 'vault'>): JobKinds => ({
  [shredKind]: shredRemovedSecrets({ secrets: aggregates.edgeSecret, vault }),
});

export const secretReactors = (
  { aggregates, queries }: Pick<Parts, 'aggregates' | 'queries'>,
  reads: Pick<ReadTablesPart, 'waitFor'>,
): readonly Reactor[] => [
  removeOrphanedSecrets({
    aggregates,
    secretsOf: async (owner, position) => {
      if ((await reads.waitFor(position, { timeoutMs: 30_000, tables: ['edge_secrets'] })) !== 'reached') {
        throw new Error('The read tables are behind.');
      }
      return queries.readableSecrets(owner);
    },
  }),
  enqueueShredding(aggregates),
];
