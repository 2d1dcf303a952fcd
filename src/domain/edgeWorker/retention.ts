import { isAlive, type LiveWorker, liveRevision, type Revision } from './state.ts';

export type RetentionRule = { readonly keepNewest: number; readonly keepDeployed: number };

/** Distinct revisions in the order in which they last went live, newest first: what a rollback may still want. */
const rollbackWindow = ({ history }: LiveWorker, size: number): readonly number[] =>
  [...new Set([...history].reverse())].slice(0, Math.max(0, size));

/**
 * Revisions whose source and bundle nothing needs any more. None while a deployment is alive, which may be about to put
 * any of them on the air; never the live one, whatever the rule says.
 */
export const releasable = (worker: LiveWorker, { keepNewest, keepDeployed }: RetentionRule): readonly Revision[] => {
  if (isAlive(worker.ticket)) return [];
  const oldestKept = worker.revisions.length - Math.max(1, keepNewest) + 1;
  const pinned = new Set([liveRevision(worker), ...rollbackWindow(worker, keepDeployed)]);
  return worker.revisions.filter(
    ({ revision, released }) => !released && revision < oldestKept && !pinned.has(revision),
  );
};
