import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { embedded, fact, type ProjectionWorld, startProjection } from '../../support/projection.ts';

const registered = fact('user-u1', {
  type: 'UserRegistered',
  data: { email: 'ada@example.org', displayName: 'Ada', passwordHash: '$argon2id$hunter2' },
});
const workspace = fact('workspace-w1', { type: 'WorkspaceCreated', data: { name: 'Acme', slug: 'acme' } });
const member = (userId: string, role: 'OWNER' | 'MEMBER', departmentIds: readonly string[] = []) =>
  fact('workspace-w1', {
    type: 'MemberAdded',
    data: { userId, email: `${userId}@example.org`, displayName: userId, role, departmentIds },
  });
const token = (expiresAt: number) =>
  fact('apiToken-t1', {
    type: 'ApiTokenIssued',
    data: { workspaceId: 'w1', name: 'ci', digest: 'f00d', role: 'MEMBER', departmentId: '', expiresAt },
  });

describe('the tables of the organisation', () => {
  let world: ProjectionWorld;
  beforeAll(async () => {
    world = await startProjection(await embedded());
  });
  afterEach(() => world.reset());
  afterAll(() => world.stop());

  it('a user has a row without the password hash', async () => {
    await world
      .given()
      .when(registered)
      .then({ users: [{ id: 'u1', email: 'ada@example.org', display_name: 'Ada' }] });
    expect(JSON.stringify([await world.rows('users'), await world.rows('audit_logs')])).not.toContain('hunter2');
  });

  it('a replaced password moves only its time', async () => {
    const changed = fact('user-u1', { type: 'UserPasswordReplaced', data: { passwordHash: '$argon2id$other' } });
    await world
      .given(registered)
      .when(changed)
      .then({ users: [{ id: 'u1', display_name: 'Ada' }] });
    const [row] = await world.rows('users');
    expect(row?.['password_changed_at']).toBeGreaterThan(Number(row?.['created_at']));
  });

  it('a name that is longer than its column is cut, and never stops the table', async () => {
    const long = fact('user-u1', {
      type: 'UserRegistered',
      data: { email: 'ada@example.org', displayName: '😀'.repeat(300), passwordHash: '' },
    });
    await world.given(long).then({ users: [{ display_name: '😀'.repeat(255) }] });
  });

  it('a session is open until it expires or is revoked', async () => {
    const opened = fact('session-s1', {
      type: 'SessionOpened',
      data: { userId: 'u1', tokenDigest: 'f00d', expiresAt: 1_800_000_000_000 },
    });
    const revoked = fact('session-s1', { type: 'SessionRevoked', data: {} });
    await world.given(opened).then({ sessions: [{ user_id: 'u1', expires_at: 1_800_000_000_000, revoked_at: null }] });
    await world.given(revoked).then({ sessions: [{ revoked_at: expect.any(Number) }] });
  });

  it('a member has one row in a workspace, changed with the role and gone with the member', async () => {
    await world
      .given(workspace)
      .when(member('u1', 'OWNER'), member('u2', 'MEMBER', ['d1']))
      .then({
        workspaces: [{ id: 'w1', name: 'Acme', slug: 'acme' }],
        workspace_members: [
          { workspace_id: 'w1', user_id: 'u1', role: 'OWNER', department_ids: '[]' },
          { workspace_id: 'w1', user_id: 'u2', role: 'MEMBER', department_ids: '["d1"]' },
        ],
      });
    const changed = fact('workspace-w1', {
      type: 'MemberRoleAssigned',
      data: { userId: 'u2', role: 'VIEWER', departmentIds: [] },
    });
    await world
      .given(changed)
      .then({ workspace_members: [{}, { user_id: 'u2', role: 'VIEWER', department_ids: '[]' }] });
    await world
      .given(fact('workspace-w1', { type: 'MemberRemoved', data: { userId: 'u2' } }))
      .then({ workspace_members: [{ user_id: 'u1' }] });
  });

  it('a department belongs to its workspace', async () => {
    const created = fact('department-d1', {
      type: 'DepartmentCreated',
      data: { workspaceId: 'w1', name: 'Sales', slug: 'sales' },
    });
    await world
      .given(workspace)
      .when(created)
      .then({ departments: [{ id: 'd1', workspace_id: 'w1', slug: 'sales' }] });
  });

  it('a token has neither itself nor its digest in its row, and no expiry when it never expires', async () => {
    await world
      .given(workspace)
      .when(token(0))
      .then({ api_tokens: [{ id: 't1', expires_at: null, revoked_at: null }] });
    expect(JSON.stringify([await world.rows('api_tokens'), await world.rows('audit_logs')])).not.toContain('f00d');
    const revoked = fact('apiToken-t1', { type: 'ApiTokenRevoked', data: {} });
    await world.given(revoked).then({ api_tokens: [{ revoked_at: expect.any(Number) }] });
  });
});

describe('the audit table', () => {
  let world: ProjectionWorld;
  beforeAll(async () => {
    world = await startProjection(await embedded());
  });
  afterEach(() => world.reset());
  afterAll(() => world.stop());

  it('has one row per event with who, what, where and why', async () => {
    await world.project([workspace, member('u1', 'OWNER')]);
    const rows = await world.rows('audit_logs');
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          workspace_id: 'company-1',
          department_id: 'department-1',
          actor_type: 'user',
          actor_id: 'user-1',
          auth_method: 'session',
          action: 'workspace.MemberAdded',
          resource_type: 'workspace',
          resource_id: 'w1',
          resource_revision: 1,
          risk_level: 'high',
          status: 'success',
          request_id: 'request-1',
          correlation_id: 'correlation-1',
          causation_id: 'cause-1',
          command_id: 'command-1',
        }),
        expect.objectContaining({ action: 'workspace.WorkspaceCreated', risk_level: 'medium' }),
      ]),
    );
  });

  it('counts the rows of each workspace from 1, and those of none under an empty one', async () => {
    const elsewhere = { workspaceId: '' };
    await world.project([workspace, fact('user-u1', registered.event, elsewhere), member('u1', 'OWNER')]);
    const rows = await world.rows('audit_logs');
    const places = rows.map((row) => [row['workspace_id'], row['seq'], row['action']]);
    expect(places.sort()).toEqual([
      ['', 1, 'user.UserRegistered'],
      ['company-1', 1, 'workspace.WorkspaceCreated'],
      ['company-1', 2, 'workspace.MemberAdded'],
    ]);
  });

  it('leaves long texts out of its metadata', async () => {
    const long = fact('workspace-w1', { type: 'WorkspaceCreated', data: { name: 'n'.repeat(5_000), slug: 'acme' } });
    await world
      .given(long)
      .then({ audit_logs: [{ metadata: '{"name":"[left out: 5000 characters]","slug":"acme"}' }] });
  });
});
