import type { Parts } from '../parts.ts';
import { systemClock } from '../platform/clock/system.ts';
import { createCheckpointStore } from '../projections/checkpointStore.ts';
import { holdCredentialNames } from '../sagas/holdCredentialNames.ts';
import { startReactors } from '../sagas/reactor.ts';
import { revokeTokensOfMembers } from '../sagas/revokeTokensOfMembers.ts';
import type { Closing } from './closing.ts';
import { credentialReactors } from './credentials.ts';
import { domainReactors } from './edgeDomains.ts';
import { lazyCheckpoints } from './lazyCheckpoints.ts';
import { lifecycleReactors } from './lifecycle.ts';
import type { ReadTablesPart } from './readTables.ts';
import { secretReactors } from './secrets.ts';
import { webhookReactors } from './webhooks.ts';

/** Facts that lead to commands. */
export const startReactions = (parts: Parts, reads: ReadTablesPart, closing: Closing): void => {
  const { log, database, aggregates, queries, logger } = parts;
  const checkpoints = lazyCheckpoints(createCheckpointStore(database), { everyMs: 250, logger }, closing);
  const common = { log, logger, clock: systemClock, checkpoints };
  const names = startReactors({ ...common, name: 'names', reactors: [holdCredentialNames(aggregates)] });
  const reactors = startReactors({
    ...common,
    reactors: [
      ...domainReactors(parts, reads),
      ...lifecycleReactors(parts, reads),
      ...secretReactors(parts, reads),
      ...credentialReactors(parts, reads),
      ...webhookReactors(parts, reads),
      revokeTokensOfMembers({
        tokens: aggregates.apiToken,
        tokensIssuedBy: async (workspaceId, userId, position) => {
          if ((await reads.waitFor(position, { timeoutMs: 30_000, tables: ['api_tokens'] })) !== 'reached') {
            throw new Error('The read tables are behind.');
          }
          return queries.tokensIssuedBy({ workspaceId, userId });
        },
      }),
    ],
  });
  closing.add(() => names.stop());
  closing.add(() => reactors.stop());
};
