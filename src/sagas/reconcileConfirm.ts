import type { Aggregates } from '../commands/aggregates.ts';
import { type EdgeWorker, isAlive, liveRevision } from '../domain/edgeWorker/index.ts';
import { type Finding, type KnownScript, type Look, plan } from '../domain/reconciliation/plan.ts';

/** The findings that the log agrees with: a table may be behind, or have been touched. */
export const confirmed = async (
  workers: Aggregates['edgeWorker'],
  proposed: readonly Finding[],
  look: Look,
): Promise<readonly Finding[]> => {
  const rows = new Map(look.known.map((each) => [each.workerId, each]));
  const found = new Map(look.inventory.map((each) => [each.scriptName, each]));
  const sure: Finding[] = [];
  for (const finding of proposed) {
    const row = rows.get(finding.workerId);
    if (!row) {
      sure.push(finding);
      continue;
    }
    const { state } = await workers.load(finding.workerId);
    const here = found.get(row.scriptName);
    const again = plan({ ...look, known: [asTheLogSays(row, state)], inventory: here ? [here] : [] });
    sure.push(...again.filter(({ kind }) => kind === finding.kind));
  }
  return sure;
};

const asTheLogSays = (row: KnownScript, worker: EdgeWorker): KnownScript => {
  if (worker.status === 'absent') {
    return {
      ...row,
      owner: 'deleted',
      ticketId: '',
      ticketStatus: '',
      provider: worker.was?.placement?.provider ?? '',
    };
  }
  const { ticket, placement } = worker;
  const alive = isAlive(ticket) ? ticket : undefined;
  return {
    ...row,
    status: worker.status,
    owner: worker.retired ? 'retired' : 'present',
    provider: placement?.provider ?? '',
    scope: placement?.scope ?? '',
    liveRevision: liveRevision(worker),
    ticketId: alive?.ticketId ?? '',
    ticketStatus: alive?.status ?? '',
    ticketDueAt: alive?.nextAttemptAt ?? 0,
    drift: worker.drift?.found ?? '',
  };
};
