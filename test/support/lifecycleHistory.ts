import type { Aggregates } from '../../src/commands/aggregates.ts';
import { type Envelope, sha256 } from '../../src/commands/envelope.ts';
import { edgeWorkerId } from '../../src/domain/identifiers.ts';

/** What ends things, for random histories. */
export const lifecycleSteps = [
  ...(['deleteWorkspace', 'removeDepartment', 'retireWorker', 'deleteWorker', 'confirmRemoval'] as const),
  ...(['releaseRevisions', 'recordDrift', 'settleDrift'] as const),
] as const;
export type LifecycleStep = (typeof lifecycleSteps)[number];

const names: ReadonlySet<string> = new Set(lifecycleSteps);
export const isLifecycleStep = (what: string): what is LifecycleStep => names.has(what);

type On = {
  readonly workspaceId: string | undefined;
  readonly department: { readonly id: string; readonly workspaceId: string } | undefined;
  readonly choice: number;
  readonly envelopeOf: (workspaceId?: string, departmentId?: string) => Envelope;
};

export const performLifecycleStep = async (
  { workspace, department: departments, edgeWorker }: Aggregates,
  what: LifecycleStep,
  { workspaceId, department, choice, envelopeOf }: On,
): Promise<void> => {
  if (what === 'deleteWorkspace') {
    // Not often: what is deleted takes no part in what follows.
    if (!workspaceId || choice % 4 !== 0) return;
    const { state } = await workspace.load(workspaceId);
    const confirm = state.status === 'active' ? state.slug : '';
    const command = { type: 'DeleteWorkspace', data: { confirm } } as const;
    await workspace.send(workspaceId, command, envelopeOf(workspaceId));
    return;
  }
  if (!department) return;
  const { id, workspaceId: companyId } = department;
  const envelope = envelopeOf(companyId, id);
  const workerId = edgeWorkerId(sha256, id);
  const place = { provider: 'workerd', scope: 'onprem:000000000001' };
  switch (what) {
    case 'removeDepartment':
      if (choice % 3 === 0) {
        await departments.send(id, { type: 'RemoveDepartment', data: { workspaceId: companyId } }, envelope);
      }
      return;
    case 'retireWorker':
      if (choice % 3 === 0) {
        await edgeWorker.send(workerId, { type: 'RetireEdgeWorker', data: { reason: 'department_removed' } }, envelope);
      }
      return;
    case 'deleteWorker':
      if (choice % 4 === 0) {
        await edgeWorker.send(workerId, { type: 'DeleteEdgeWorker', data: { reason: 'company_deleted' } }, envelope);
      }
      return;
    case 'confirmRemoval':
      await edgeWorker.send(workerId, { type: 'ConfirmScriptRemoval', data: place }, envelope);
      return;
    case 'releaseRevisions': {
      const data = { keepNewest: 1 + (choice % 3), keepDeployed: choice % 3 };
      await edgeWorker.send(workerId, { type: 'ReleaseRevisionArtifacts', data }, envelope);
      return;
    }
    case 'recordDrift': {
      const data = {
        ...place,
        kind: 'changed',
        expected: 'revision 1',
        found: `revision ${choice}`,
        by: 'eve',
      } as const;
      await edgeWorker.send(workerId, { type: 'RecordEdgeWorkerDrift', data }, envelope);
      return;
    }
    case 'settleDrift':
      await edgeWorker.send(workerId, { type: 'SettleEdgeWorkerDrift', data: { how: 'test' } }, envelope);
      return;
    default:
      what satisfies never;
  }
};
