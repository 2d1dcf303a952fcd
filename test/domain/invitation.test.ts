import { describe, expect, test } from 'vitest';
import { type InvitationEvent, invitation } from '../../src/domain/invitation/index.ts';
import { atLeast, covers, type Role } from '../../src/domain/roles.ts';
import { type WorkspaceEvent, workspace } from '../../src/domain/workspace/index.ts';
import { specification } from '../support/decider.ts';

describe('An invitation', () => {
  const { given } = specification(invitation);
  const data = {
    ...{ workspaceId: 'w1', email: 'ada@example.org', role: 'MEMBER' as const, departmentIds: [], digest: 'f00d' },
    ...{ expiresAt: 1_000, issuedBy: { kind: 'user' as const, id: 'u1' } },
  };
  const issued: readonly InvitationEvent[] = [{ type: 'InvitationIssued', data }];
  const accepted: InvitationEvent = { type: 'InvitationAccepted', data: { userId: 'u2' } };
  const revoked: InvitationEvent = { type: 'InvitationRevoked', data: {} };
  const accept = (userId: string, now = 999) => ({ type: 'AcceptInvitation', data: { userId, now } }) as const;
  const revoke = (workspaceId: string) => ({ type: 'RevokeInvitation', data: { workspaceId } }) as const;

  test('is issued once under its id', () => {
    given([]).when({ type: 'IssueInvitation', data }).then(issued);
    given(issued)
      .when({ type: 'IssueInvitation', data: { ...data, digest: 'beef' } })
      .thenRejected('InvitationExists');
  });

  test('is accepted by one person, until it runs out', () => {
    given(issued).when(accept('u2')).then([accepted]);
    given(issued).when(accept('u2', 1_000)).thenRejected('InvitationNotFound');
    given([...issued, accepted])
      .when(accept('u3'))
      .thenRejected('InvitationNotFound');
    given([...issued, accepted])
      .when(accept('u2', 5_000))
      .thenNothing();
  });

  test('that is revoked, or never was, is accepted by nobody', () => {
    given([...issued, revoked])
      .when(accept('u2'))
      .thenRejected('InvitationNotFound');
    given([]).when(accept('u2')).thenRejected('InvitationNotFound');
  });

  test('is revoked by its own workspace, and not after it was accepted', () => {
    given(issued).when(revoke('w1')).then([revoked]);
    given(issued).when(revoke('w2')).thenRejected('InvitationNotFound');
    given([...issued, accepted])
      .when(revoke('w1'))
      .thenRejected('InvitationSettled');
  });
});

describe('A workspace that admits whoever accepted an invitation', () => {
  const { given } = specification(workspace);
  const owner = { userId: 'u1', email: 'ada@example.org', displayName: 'Ada' };
  const created: readonly WorkspaceEvent[] = [
    { type: 'WorkspaceCreated', data: { name: 'Acme', slug: 'acme' } },
    { type: 'MemberAdded', data: { ...owner, role: 'OWNER', departmentIds: [] } },
  ];
  const guest = {
    userId: 'u2',
    email: 'bob@example.org',
    displayName: 'Bob',
    role: 'VIEWER',
    departmentIds: [],
  } as const;
  const admit = { type: 'AdmitInvited', data: { ...guest, invitationId: 'i1' } } as const;
  const admitted: WorkspaceEvent = { type: 'MemberAdded', data: { ...guest, invitationId: 'i1' } };

  test('adds a member once for an invitation, whatever became of the member', () => {
    given(created).when(admit).then([admitted]);
    given([...created, admitted, { type: 'MemberRemoved', data: { userId: 'u2' } }])
      .when(admit)
      .thenNothing();
  });

  test('leaves a member what he is, and uses the invitation up', () => {
    const own = {
      type: 'AdmitInvited',
      data: { ...owner, role: 'VIEWER', departmentIds: [], invitationId: 'i1' },
    } as const;
    const redeemed: WorkspaceEvent = { type: 'MemberInvitationRedeemed', data: { userId: 'u1', invitationId: 'i1' } };
    given(created).when(own).then([redeemed]);
    given([...created, redeemed])
      .when({ type: 'ChangeMemberRole', data: { userId: 'u1', role: 'VIEWER', departmentIds: [] } })
      .thenRejected('LastOwnerRequired');
  });
});

describe('Rights', () => {
  const roles: readonly Role[] = ['OWNER', 'ADMIN', 'MEMBER', 'VIEWER'];
  test('cover those that are no higher and reach no further', () => {
    for (const giver of roles) {
      for (const role of roles) {
        const all = { role: giver, departmentIds: [] };
        expect(covers(all, { role, departmentIds: ['d1'] })).toBe(atLeast(giver, role));
        const some = { role: giver, departmentIds: ['d1', 'd2'] };
        expect(covers(some, { role, departmentIds: ['d2'] })).toBe(atLeast(giver, role));
        expect(covers(some, { role, departmentIds: [] })).toBe(false);
        expect(covers(some, { role, departmentIds: ['d2', 'd3'] })).toBe(false);
      }
    }
  });
});
