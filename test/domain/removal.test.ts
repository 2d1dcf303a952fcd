import { describe, expect, test } from 'vitest';
import { type DepartmentEvent, department } from '../../src/domain/department/index.ts';
import { type WorkspaceEvent, workspace } from '../../src/domain/workspace/index.ts';
import { specification } from '../support/decider.ts';

describe('A workspace', () => {
  const { given } = specification(workspace);
  const owner = { userId: 'u1', email: 'ada@example.org', displayName: 'Ada' };
  const created: readonly WorkspaceEvent[] = [
    { type: 'WorkspaceCreated', data: { name: 'Acme', slug: 'acme' } },
    { type: 'MemberAdded', data: { ...owner, role: 'OWNER', departmentIds: [] } },
  ];
  const deleted: WorkspaceEvent = { type: 'WorkspaceDeleted', data: { slug: 'acme' } };

  test('is deleted by whoever writes its slug', () => {
    given(created)
      .when({ type: 'DeleteWorkspace', data: { confirm: 'acme' } })
      .then([deleted]);
  });

  test('is not deleted by mistake', () => {
    given(created)
      .when({ type: 'DeleteWorkspace', data: { confirm: 'acme-2' } })
      .thenRejected('ConfirmationMismatch', { field: 'confirm' });
  });

  test('that is deleted takes no command, and is not created again under its id', () => {
    const gone = [...created, deleted];
    given(gone)
      .when({ type: 'RemoveMember', data: { userId: 'u1' } })
      .thenRejected('WorkspaceNotFound');
    given(gone)
      .when({ type: 'CreateWorkspace', data: { name: 'Acme', slug: 'acme', owner } })
      .thenRejected('WorkspaceNotFound');
    given(gone)
      .when({ type: 'DeleteWorkspace', data: { confirm: 'anything' } })
      .thenNothing();
  });

  test('that never was cannot be deleted', () => {
    given([])
      .when({ type: 'DeleteWorkspace', data: { confirm: 'acme' } })
      .thenRejected('WorkspaceNotFound');
  });
});

describe('A department', () => {
  const { given } = specification(department);
  const data = { workspaceId: 'w1', name: 'Sales', slug: 'sales' };
  const created: DepartmentEvent = { type: 'DepartmentCreated', data };
  const removed: DepartmentEvent = { type: 'DepartmentRemoved', data: { workspaceId: 'w1', slug: 'sales' } };

  test('is removed once', () => {
    given([created])
      .when({ type: 'RemoveDepartment', data: { workspaceId: 'w1' } })
      .then([removed]);
  });

  test('of another workspace looks like one that never was', () => {
    for (const facts of [[], [created]]) {
      given(facts)
        .when({ type: 'RemoveDepartment', data: { workspaceId: 'w2' } })
        .thenRejected('DepartmentNotFound');
    }
  });

  test('that is removed keeps its name in the log', () => {
    expect(given([created, removed]).state).toEqual({ status: 'removed', ...data });
  });
});
