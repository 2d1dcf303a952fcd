import type { Config } from '../config.ts';
import type { Parts } from '../parts.ts';
import type { EdgeProvider } from '../platform/edge/port.ts';
import type { Position } from '../platform/eventLog/port.ts';
import { applyPresence, applyPresenceOutside, presenceKind } from '../sagas/applyPresence.ts';
import type { JobKinds } from '../sagas/jobs/effect.ts';
import type { Reactor } from '../sagas/reactor.ts';
import { reconcile, reconcileKind } from '../sagas/reconcile.ts';
import { removeScript, removeScriptKind } from '../sagas/removeScript.ts';
import { retainRevisions } from '../sagas/retainRevisions.ts';
import { retireWorkers } from '../sagas/retireWorkers.ts';
import { takeDownScripts } from '../sagas/takeDownScripts.ts';
import type { ReadTablesPart } from './readTables.ts';

const catchUpMs = 30_000;
/** A provider shows a change a moment after it was made: what settled less than `graceMs` ago is left alone. */
const usual = { now: Date.now, graceMs: 2 * 60_000, overdueMs: 10 * 60_000 };
export type LifecycleTiming = typeof usual;
const maxAttempts = 8;

const createReached =
  (reads: Pick<ReadTablesPart, 'waitFor'>) =>
  async (position: Position, table: string): Promise<void> => {
    if ((await reads.waitFor(position, { timeoutMs: catchUpMs, tables: [table] })) !== 'reached') {
      throw new Error('The read tables are behind.');
    }
  };

/** What follows from the removal of departments and companies, from pauses, and from revisions that grow old. */
export const lifecycleReactors = (
  parts: Pick<Parts, 'aggregates' | 'log' | 'queries'> & { readonly config: Pick<Config, 'retention'> },
  reads: Pick<ReadTablesPart, 'waitFor'>,
  { now }: Pick<LifecycleTiming, 'now'> = usual,
): readonly Reactor[] => {
  const { aggregates, log, queries, config } = parts;
  const reached = createReached(reads);
  return [
    retireWorkers({
      aggregates,
      workersOf: async (companyId, position) => {
        await reached(position, 'edge_worker_scripts');
        return (await queries.scripts({ companyId })).map(({ workerId }) => workerId);
      },
    }),
    takeDownScripts({
      aggregates,
      providersUsed: async (workerId, position) => {
        await reached(position, 'edge_worker_outbox');
        return queries.providersUsed({ workerId });
      },
    }),
    applyPresenceOutside({ aggregates }),
    retainRevisions({ aggregates, log, retention: config.retention, now }),
  ];
};

/** What can be done at the providers of this process, a kind of job for each. */
export const lifecycleJobKinds = (
  parts: Pick<Parts, 'aggregates' | 'log' | 'queries'>,
  reads: Pick<ReadTablesPart, 'waitFor'>,
  providers: readonly EdgeProvider[],
  timing: LifecycleTiming = usual,
): JobKinds => {
  const { aggregates, log, queries } = parts;
  const workers = aggregates.edgeWorker;
  const reached = createReached(reads);
  const scripts = async (companyId: string) => {
    await reached(await log.head(), 'edge_worker_scripts');
    return queries.scripts({ companyId });
  };
  return Object.fromEntries(
    providers.flatMap((provider) => {
      const { kind, scope, steps } = provider;
      const edge = { places: [{ provider: kind, scope, steps }], maxAttempts } as const;
      const looking = { scripts, ...timing };
      return [
        [removeScriptKind(kind), removeScript({ workers, provider })],
        [presenceKind(kind), applyPresence({ workers, provider })],
        [reconcileKind(kind), reconcile({ ...looking, aggregates, edge, provider, workers })],
      ];
    }),
  );
};
