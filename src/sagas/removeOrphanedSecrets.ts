import type { Aggregates } from '../commands/aggregates.ts';
import type { OpslogEvent } from '../domain/catalog.ts';
import type { Recorded } from '../domain/kernel.ts';
import type { Position } from '../platform/eventLog/port.ts';
import { systemEnvelope } from './envelope.ts';
import { type Reactor, reactTo } from './reactor.ts';

type Deps = {
  readonly aggregates: Pick<Aggregates, 'workspace' | 'department' | 'edgeSecret'>;
  /** Secrets that can be read of this company, or of one department of it, with everything up to `position`. */
  readonly secretsOf: (
    owner: { readonly companyId: string; readonly departmentId?: string },
    position: Position,
  ) => Promise<readonly { readonly secretId: string; readonly departmentId: string }[]>;
};

/** Nobody can use the secrets of a removed department or a deleted company: they go, keys and all. */
export const removeOrphanedSecrets = (deps: Deps): Reactor =>
  reactTo('removeOrphanedSecrets', ['WorkspaceDeleted', 'DepartmentRemoved', 'EdgeSecretStored'], async (event) => {
    const { subjectId, workspaceId, departmentId, position } = event.meta;
    switch (event.type) {
      case 'WorkspaceDeleted':
        for (const secret of await deps.secretsOf({ companyId: subjectId }, position))
          await remove(deps, event, secret);
        return;
      case 'DepartmentRemoved': {
        const owner = { companyId: event.data.workspaceId, departmentId: subjectId };
        for (const secret of await deps.secretsOf(owner, position)) await remove(deps, event, secret);
        return;
      }
      case 'EdgeSecretStored': {
        // Stored in the very moment of the removal: the list above may not have had it.
        const { workspace, department } = deps.aggregates;
        const isOrphan =
          (await department.load(departmentId)).state.status === 'removed' ||
          (await workspace.load(workspaceId)).state.status === 'deleted';
        if (isOrphan) await remove(deps, event, { secretId: subjectId, departmentId });
      }
    }
  });

const remove = async (
  { aggregates }: Deps,
  { meta, data }: Recorded<OpslogEvent>,
  { secretId, departmentId }: { readonly secretId: string; readonly departmentId: string },
): Promise<void> => {
  const { eventId, requestId, correlationId, category, subjectId } = meta;
  const workspaceId =
    'workspaceId' in data ? data.workspaceId : category === 'workspace' ? subjectId : meta.workspaceId;
  const context = { workspaceId, departmentId, requestId, correlationId, causationId: eventId };
  const envelope = systemEnvelope('removeOrphanedSecrets', context, eventId, secretId);
  const sent = await aggregates.edgeSecret.send(secretId, { type: 'RemoveEdgeSecret', data: {} }, envelope);
  if (!sent.ok) throw new Error(`The secret ${secretId} could not be removed: ${sent.rejection.rejected}`);
};
