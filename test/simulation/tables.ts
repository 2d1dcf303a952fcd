import { decode } from '../../src/commands/envelope.ts';
import type { OpslogEvent } from '../../src/domain/catalog.ts';
import type { Recorded } from '../../src/domain/kernel.ts';
import type { StoredEvent } from '../../src/platform/eventLog/port.ts';
import type { DueWork } from '../../src/sagas/runner.ts';

type Row = DueWork & { readonly status: 'waiting' | 'leased' | 'over'; readonly nextAttemptAt: number };

/** The read tables that the runner looks at: the same facts make the same rows as in the database, later than in the log. */
export type Tables = {
  apply(events: readonly StoredEvent[]): void;
  due(now: number, limit: number, node: { readonly name: string; readonly holder: string }): readonly DueWork[];
};

export const createTables = (): Tables => {
  const rows = new Map<string, Row>();
  const patch = (id: string, change: Partial<Row>): void => {
    const row = rows.get(id);
    if (row) rows.set(id, { ...row, ...change });
  };
  const lease = (id: string, leaseHolder: string, nextAttemptAt: number): void =>
    patch(id, { status: 'leased', leaseHolder, nextAttemptAt });
  const wait = (id: string, nextAttemptAt: number): void =>
    patch(id, { status: 'waiting', leaseHolder: '', nextAttemptAt });
  const end = (id: string): void => patch(id, { status: 'over', leaseHolder: '' });
  const insert = ({ meta }: Recorded<OpslogEvent>, ticketId: string, operation: string, at: number): void => {
    const { requestId, correlationId, eventId: causationId, workspaceId: companyId, departmentId } = meta;
    const trace = { requestId, correlationId, causationId, companyId, departmentId };
    const workerId = operation === 'deploy' ? meta.subjectId : '';
    rows.set(ticketId, {
      ...trace,
      ticketId,
      operation,
      workerId,
      leaseHolder: '',
      status: 'waiting',
      nextAttemptAt: at,
    });
  };
  const fold = (event: Recorded<OpslogEvent>): void => {
    const { subjectId } = event.meta;
    switch (event.type) {
      case 'DeploymentAdmitted':
        insert(event, event.data.ticketId, 'deploy', 0);
        break;
      case 'DeploymentLeased':
        lease(event.data.ticketId, event.data.holder, event.data.leasedUntil);
        break;
      case 'DeploymentLeaseRenewed':
        patch(event.data.ticketId, { nextAttemptAt: event.data.leasedUntil });
        break;
      case 'DeploymentRetryScheduled':
      case 'DeploymentBecameUncertain':
        wait(event.data.ticketId, event.data.nextAttemptAt);
        break;
      case 'DeploymentCompleted':
      case 'DeploymentFailed':
      case 'DeploymentCancelled':
        end(event.data.ticketId);
        break;
      case 'JobEnqueued':
        insert(event, subjectId, 'job', event.data.runAt);
        break;
      case 'JobLeased':
        lease(subjectId, event.data.holder, event.data.leasedUntil);
        break;
      case 'JobLeaseRenewed':
        patch(subjectId, { nextAttemptAt: event.data.leasedUntil });
        break;
      case 'JobRetryScheduled':
      case 'JobBecameUncertain':
        wait(subjectId, event.data.nextAttemptAt);
        break;
      case 'JobSucceeded':
      case 'JobFailed':
      case 'JobDied':
      case 'JobCancelled':
        end(subjectId);
        break;
    }
  };
  const isDue = (row: Row, now: number, { name, holder }: { name: string; holder: string }): boolean => {
    if (row.status === 'over') return false;
    const heldByEarlier = row.leaseHolder.startsWith(`${name}/`) && row.leaseHolder !== holder;
    return row.nextAttemptAt <= now || (row.status === 'leased' && heldByEarlier);
  };
  return {
    apply: (events) => {
      for (const stored of events) {
        const event = decode(stored);
        if (event) fold(event);
      }
    },
    due: (now, limit, node) =>
      [...rows.values()]
        .filter((row) => isDue(row, now, node))
        .sort((a, b) => a.nextAttemptAt - b.nextAttemptAt || (a.ticketId < b.ticketId ? -1 : 1))
        .slice(0, limit)
        .map(({ status: _, nextAttemptAt: __, ...work }) => work),
  };
};
