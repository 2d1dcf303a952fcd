import type { Aggregates } from '../commands/aggregates.ts';
import { type Envelope, sha256 } from '../commands/envelope.ts';
import { release } from '../commands/workspace.ts';
import type { OpslogEvent } from '../domain/catalog.ts';
import { edgeWorkerId } from '../domain/identifiers.ts';
import type { Recorded } from '../domain/kernel.ts';
import type { Position } from '../platform/eventLog/port.ts';
import { systemEnvelope } from './envelope.ts';
import { type Reactor, reactTo } from './reactor.ts';

type Deps = {
  readonly aggregates: Pick<Aggregates, 'workspace' | 'department' | 'edgeWorker' | 'reservation'>;
  /** Ids of the workers that this company ever had, with everything up to `position`. */
  readonly workersOf: (companyId: string, position: Position) => Promise<readonly string[]>;
};

const name = 'retireWorkers';

/**
 * A worker goes with its department or its company. What was admitted in the moment of the removal is caught by looking
 * at the owners of whatever comes after it.
 */
export const retireWorkers = (deps: Deps): Reactor =>
  reactTo(name, ['WorkspaceDeleted', 'DepartmentRemoved', 'EdgeWorkerCreated', 'DeploymentAdmitted'], async (event) => {
    switch (event.type) {
      case 'WorkspaceDeleted':
        await release(deps.aggregates, 'workspace', event.data.slug, event.meta.subjectId, envelopeOf(event, 'slug'));
        for (const workerId of await deps.workersOf(event.meta.subjectId, event.meta.position)) {
          await remove(deps, event, workerId, 'company_deleted');
        }
        return;
      case 'DepartmentRemoved': {
        const { workspaceId, slug } = event.data;
        const departmentId = event.meta.subjectId;
        const held = `${workspaceId}/${slug}`;
        await release(deps.aggregates, 'department', held, departmentId, envelopeOf(event, 'slug'));
        await retire(deps, event, edgeWorkerId(sha256, departmentId), departmentId);
        return;
      }
      case 'EdgeWorkerCreated':
      case 'DeploymentAdmitted':
        await lookAtOwners(deps, event);
    }
  });

/** Of the newest state of the log, so that a removal before this event is seen. */
const lookAtOwners = async (deps: Deps, event: Recorded<OpslogEvent>): Promise<void> => {
  const { workspaceId, departmentId, subjectId: workerId } = event.meta;
  const { workspace, department } = deps.aggregates;
  if ((await workspace.load(workspaceId)).state.status === 'deleted') {
    await remove(deps, event, workerId, 'company_deleted');
  } else if ((await department.load(departmentId)).state.status === 'removed') {
    await retire(deps, event, workerId, departmentId);
  }
};

const remove = async ({ aggregates }: Deps, event: Recorded<OpslogEvent>, workerId: string, reason: string) => {
  const command = { type: 'DeleteEdgeWorker', data: { reason } } as const;
  const { state } = await aggregates.edgeWorker.load(workerId);
  const departmentId = state.status === 'absent' ? '' : state.departmentId;
  const envelope = { ...envelopeOf(event, workerId), departmentId };
  must(await aggregates.edgeWorker.send(workerId, command, envelope), workerId);
};

const retire = async ({ aggregates }: Deps, event: Recorded<OpslogEvent>, workerId: string, departmentId: string) => {
  const command = { type: 'RetireEdgeWorker', data: { reason: 'department_removed' } } as const;
  must(await aggregates.edgeWorker.send(workerId, command, { ...envelopeOf(event, workerId), departmentId }), workerId);
};

const envelopeOf = ({ meta }: Recorded<OpslogEvent>, key: string): Envelope => {
  const { eventId, workspaceId, departmentId, requestId, correlationId } = meta;
  const context = { workspaceId, departmentId, requestId, correlationId, causationId: eventId };
  return systemEnvelope(name, context, eventId, key);
};

type Sent = { readonly ok: true } | { readonly ok: false; readonly rejection: { readonly rejected: string } };

const must = (sent: Sent, workerId: string): void => {
  if (!sent.ok) throw new Error(`Worker ${workerId} could not be taken off: ${sent.rejection.rejected}`);
};
