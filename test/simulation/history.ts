import type { KnownScript } from '../../src/domain/reconciliation/plan.ts';
import type { Position } from '../../src/platform/eventLog/port.ts';
import { companyId } from './clients.ts';
import { isLive, type Model, type WorkerModel } from './model.ts';

/** What the program asks its read tables once they have everything: here it follows from the facts at once. */
export type History = {
  readonly providersUsed: (workerId: string, position: Position) => Promise<readonly string[]>;
  readonly scripts: (companyId: string) => Promise<readonly KnownScript[]>;
};

export const createHistory = (model: Model, tablesAreBehind: () => boolean): History => {
  const reached = (): void => {
    if (tablesAreBehind()) throw new Error('the read tables are behind');
  };
  return {
    providersUsed: async (workerId) => {
      reached();
      const used = [...model.tickets.values()].filter((ticket) => ticket.workerId === workerId);
      return [...new Set(used.map(({ provider }) => provider))].sort();
    },
    scripts: async () => {
      reached();
      return [...model.workers.values()].map(knownOf);
    },
  };
};

const knownOf = (worker: WorkerModel): KnownScript => {
  const { workerId, scriptName, departmentId, status, newest, liveTicketId, settledAt } = worker;
  const alive = isLive(newest) ? newest : undefined;
  return {
    ...{ workerId, scriptName, companyId, departmentId, status, liveTicketId, settledAt },
    owner: worker.deleted ? 'deleted' : worker.retired ? 'retired' : 'present',
    provider: worker.history.length > 0 ? (newest?.provider ?? '') : '',
    ...{ scope: '', liveRevision: worker.history.at(-1) ?? 0 },
    ...{ ticketId: alive?.ticketId ?? '', ticketStatus: alive?.status ?? '', ticketDueAt: 0 },
    drift: worker.drift ?? '',
  };
};
