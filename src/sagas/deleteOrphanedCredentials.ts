import type { Aggregates } from '../commands/aggregates.ts';
import { deleteCredential } from '../commands/credential.ts';
import type { OpslogEvent } from '../domain/catalog.ts';
import type { DeletionReason } from '../domain/credential/index.ts';
import type { Recorded } from '../domain/kernel.ts';
import type { Position } from '../platform/eventLog/port.ts';
import { systemEnvelope } from './envelope.ts';
import { type Reactor, reactTo } from './reactor.ts';

type Orphan = { readonly credentialId: string; readonly departmentId: string };

type Deps = {
  readonly aggregates: Pick<Aggregates, 'workspace' | 'department' | 'credential' | 'reservation'>;
  /** Credentials that can be used, of this workspace or bound to one department of it, with everything up to `position`. */
  readonly credentialsOf: (
    owner: { readonly workspaceId: string; readonly departmentId?: string },
    position: Position,
  ) => Promise<readonly Orphan[]>;
};

/** Nobody can use what is bound to a removed department or a deleted workspace: it goes, keys and all. */
export const deleteOrphanedCredentials = (deps: Deps): Reactor =>
  reactTo(
    'deleteOrphanedCredentials',
    ['WorkspaceDeleted', 'DepartmentRemoved', 'CredentialCreated'],
    async (event) => {
      const { subjectId, workspaceId, departmentId, position } = event.meta;
      switch (event.type) {
        case 'WorkspaceDeleted':
          for (const each of await deps.credentialsOf({ workspaceId: subjectId }, position))
            await remove(deps, event, { ...each, workspaceId: subjectId }, 'workspace_deleted');
          return;
        case 'DepartmentRemoved': {
          const owner = { workspaceId: event.data.workspaceId, departmentId: subjectId };
          for (const each of await deps.credentialsOf(owner, position))
            await remove(deps, event, { ...each, workspaceId: owner.workspaceId }, 'department_removed');
          return;
        }
        case 'CredentialCreated': {
          // Created in the very moment of the removal: the list above may not have had it.
          const orphan = { workspaceId, credentialId: subjectId, departmentId };
          if ((await deps.aggregates.workspace.load(workspaceId)).state.status === 'deleted')
            await remove(deps, event, orphan, 'workspace_deleted');
          else if (
            departmentId !== '' &&
            (await deps.aggregates.department.load(departmentId)).state.status === 'removed'
          )
            await remove(deps, event, orphan, 'department_removed');
        }
      }
    },
  );

const remove = async (
  { aggregates }: Deps,
  { meta }: Recorded<OpslogEvent>,
  { workspaceId, credentialId, departmentId }: Orphan & { readonly workspaceId: string },
  reason: DeletionReason,
): Promise<void> => {
  const { eventId, requestId, correlationId } = meta;
  const context = { workspaceId, departmentId, requestId, correlationId, causationId: eventId };
  const envelope = systemEnvelope('deleteOrphanedCredentials', context, eventId, credentialId);
  const sent = await deleteCredential({ aggregates }, credentialId, reason, envelope);
  if (!sent.ok) throw new Error(`The credential ${credentialId} could not be deleted: ${sent.rejection.rejected}`);
};
