import type { Parts } from '../parts.ts';
import { deleteOrphanedCredentials } from '../sagas/deleteOrphanedCredentials.ts';
import type { JobKinds } from '../sagas/jobs/effect.ts';
import type { Reactor } from '../sagas/reactor.ts';
import { enqueueCredentialShredding, shredCredentialKind, shredCredentials } from '../sagas/shredCredentials.ts';
import type { ReadTablesPart } from './readTables.ts';

export const credentialJobKinds = ({ aggregates, vault }: Pick<Parts, 'aggregates' | 'vault'>): JobKinds => ({
  [shredCredentialKind]: shredCredentials({ credentials: aggregates.credential, vault }),
});

export const credentialReactors = (
  { aggregates, queries }: Pick<Parts, 'aggregates' | 'queries'>,
  reads: Pick<ReadTablesPart, 'waitFor'>,
): readonly Reactor[] => [
  deleteOrphanedCredentials({
    aggregates,
    credentialsOf: async (owner, position) => {
      if ((await reads.waitFor(position, { timeoutMs: 30_000, tables: ['credentials'] })) !== 'reached') {
        throw new Error('The read tables are behind.');
      }
      return queries.activeCredentials(owner);
    },
  }),
  enqueueCredentialShredding(aggregates),
];
