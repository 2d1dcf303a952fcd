import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ProblemCode } from '../../src/api/statuses.ts';
import type { Envelope } from '../../src/commands/envelope.ts';
import { type ApiWorld, aCompany, aLiveWorker, aMember, type Company, helloWorker, problemOf } from '../support/api.ts';

export const rejectionSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  beforeAll(async () => {
    world = await shared();
  });

  /** Given a company in some state, when it is asked for something, then the answer is this problem and nothing is appended. */
  const given = async (prepare: (company: Company) => Promise<unknown> = async () => undefined) => {
    const company = await aCompany(world);
    await prepare(company);
    return {
      when: (method: string, path: string, body?: object) => ({
        then: async (status: number, title: ProblemCode, more: object = {}) => {
          const before = await world.holdings();
          const full = path.startsWith('/') ? `${company.base}${path}` : `${company.worker}${path && `/${path}`}`;
          const answered = await world.ask(method, full, { token: company.token, body });
          expect(problemOf(answered)).toMatchObject({ status, title, ...more });
          expect(await world.holdings()).toEqual(before);
        },
      }),
    };
  };

  const submitted = ({ worker, token }: Company) =>
    world.ask('POST', `${worker}/revisions`, { token, body: helloWorker() });
  const live = (company: Company) => aLiveWorker(world, company);
  const system: Omit<Envelope, 'commandId'> = {
    commandDigest: '',
    actor: { kind: 'system', id: 'test' },
    authMethod: 'system',
    workspaceId: '',
    departmentId: '',
    requestId: '',
    correlationId: '',
    causationId: '',
  };

  describe('A worker', () => {
    test('that is not there cannot be read, deployed, rolled back, paused or resumed', async () => {
      const nothing = await given();
      await nothing.when('GET', '').then(404, 'EdgeWorkerNotFound');
      await nothing.when('POST', 'deployments').then(404, 'EdgeWorkerNotFound');
      await nothing.when('POST', 'rollback').then(404, 'EdgeWorkerNotFound');
      await nothing.when('POST', 'pause').then(404, 'EdgeWorkerNotFound');
      await nothing.when('POST', 'resume').then(404, 'EdgeWorkerNotFound');
    });

    test('that was never deployed can be neither paused nor resumed nor rolled back', async () => {
      const draft = await given(submitted);
      await draft.when('POST', 'pause').then(409, 'EdgeWorkerNotDeployed');
      await draft.when('POST', 'resume').then(409, 'EdgeWorkerNotDeployed');
      await draft.when('POST', 'rollback').then(409, 'RollbackTargetMissing', { field: 'revision' });
    });

    test('has only the revisions that were submitted', async () => {
      const one = await given(live);
      await one.when('POST', 'deployments', { revision: 7 }).then(404, 'RevisionNotFound', { field: 'revision' });
      await one.when('GET', 'revisions/7').then(404, 'RevisionNotFound');
      await one.when('POST', 'rollback', { revision: 7 }).then(404, 'RevisionNotFound');
    });

    test('whose only live revision is the first cannot be rolled back', async () => {
      const first = await given(live);
      await first.when('POST', 'rollback').then(409, 'RollbackTargetMissing');
    });

    test('that is paused takes no deployment', async () => {
      const paused = await given(async (company) => {
        await live(company);
        await world.ask('POST', `${company.worker}/pause`, company);
      });
      await paused.when('POST', 'deployments').then(409, 'EdgeWorkerPaused');
    });

    test('has one deployment alive at a time, and the answer names it', async () => {
      let ticketId = '';
      const deploying = await given(async (company) => {
        await submitted(company);
        const { body } = await world.ask('POST', `${company.worker}/deployments`, company);
        ticketId = String(Object(body).ticketId);
      });
      await deploying.when('POST', 'deployments').then(409, 'DeploymentAlive', { details: { ticketId } });
    });

    test('takes no deployment while the gate is closed, or when nobody registered it', async () => {
      const ready = await given(submitted);
      const { edgeMaintenance } = world.aggregates;
      const begin = { type: 'BeginEdgeMaintenance', data: { reason: 'backup' } } as const;
      await edgeMaintenance.send(world.scope, begin, { ...system, commandId: randomUUID() });
      await ready.when('POST', 'deployments').then(409, 'EdgeWorkersMaintenance', { code: 'edge_workers_maintenance' });
      const end = { type: 'EndEdgeMaintenance', data: {} } as const;
      await edgeMaintenance.send(world.scope, end, { ...system, commandId: randomUUID() });
    });

    test('whose revision has no evidence is not deployed', async () => {
      const bare = await given(async ({ workspaceId, departmentId }) => {
        const { edgeWorkerId, scriptNameOf } = await import('../../src/domain/identifiers.ts');
        const { sha256 } = await import('../../src/commands/envelope.ts');
        const digest = sha256('x');
        await world.aggregates.edgeWorker.send(
          edgeWorkerId(sha256, departmentId),
          {
            type: 'SubmitRevision',
            data: {
              companyId: workspaceId,
              departmentId,
              scriptName: scriptNameOf(sha256, workspaceId, departmentId),
              versionId: randomUUID(),
              language: 'javascript',
              entryPoint: 'index.js',
              compatibilityDate: '2026-01-01',
              compatibilityFlags: [],
              variables: {},
              environmentDigest: digest,
              sourceDigest: digest,
              sourceBytes: 1,
              sourceFiles: 1,
              bundleDigest: digest,
              bundleBytes: 1,
              sbomDigest: digest,
              sbom: '',
              buildReceipt: '',
            },
          },
          { ...system, workspaceId, departmentId, commandId: randomUUID() },
        );
      });
      await bare.when('POST', 'deployments').then(409, 'RevisionEvidenceMissing');
      await bare.when('GET', `revisions/1/sbom?waitFor=${await world.log.head()}`).then(409, 'RevisionEvidenceMissing');
    });
  });

  describe('A deployment', () => {
    const deploy = async (company: Company) => {
      await submitted(company);
      const { body } = await world.ask('POST', `${company.worker}/deployments`, company);
      return { ticketId: String(Object(body).ticketId), workerId: String(Object(body).workerId) };
    };

    test('that waits is cancelled at once, and a second cancel changes nothing', async () => {
      const company = await aCompany(world);
      const { ticketId } = await deploy(company);
      const cancel = () => world.ask('POST', `/worker/deployments/${ticketId}/cancel`, company);
      expect((await cancel()).body).toEqual({ ticketId, cancelled: true });
      const before = await world.holdings();
      expect((await cancel()).body).toEqual({ ticketId, cancelled: true });
      expect(await world.holdings()).toEqual(before);
      const read = await world.ask('GET', `/worker/deployments/${ticketId}?waitFor=${await world.log.head()}`, company);
      expect(read.body).toMatchObject({ status: 'cancelled', next: null });
    });

    test('that has settled cannot be cancelled, and a viewer cancels nothing', async () => {
      const company = await aCompany(world);
      const { ticketId, workerId } = await deploy(company);
      const viewer = await aMember(world, company, { role: 'VIEWER' });
      const path = `/worker/deployments/${ticketId}/cancel`;
      expect(problemOf(await world.ask('POST', path, viewer)).title).toBe('RoleInsufficient');
      await world.carryOut(workerId, ticketId);
      expect(problemOf(await world.ask('POST', path, company))).toMatchObject({ title: 'TicketSettled', status: 409 });
    });

    test('that is no longer the newest of its worker cannot be cancelled', async () => {
      const company = await aCompany(world);
      const { ticketId, workerId } = await deploy(company);
      await world.carryOut(workerId, ticketId);
      await world.ask('POST', `${company.worker}/deployments`, company);
      const answered = await world.ask('POST', `/worker/deployments/${ticketId}/cancel`, company);
      expect(problemOf(answered).title).toBe('TicketSettled');
    });

    test('is found the moment it was admitted', async () => {
      for (let round = 0; round < 3; round += 1) {
        const company = await aCompany(world);
        const { ticketId } = await deploy(company);
        expect((await world.ask('GET', `/worker/deployments/${ticketId}`, company)).status).toBe(200);
      }
    });

    test('is in the list of its department, newest first', async () => {
      const company = await aCompany(world);
      const { ticketId, workerId } = await deploy(company);
      await world.carryOut(workerId, ticketId);
      const second = await world.ask('POST', `${company.worker}/deployments`, company);
      const position = second.headers.get('opslog-position') ?? '';
      const list = await world.ask('GET', `${company.worker}/deployments?waitFor=${position}`, company);
      expect(list.body).toMatchObject({
        items: [
          { ticketId: Object(second.body).ticketId, status: 'pending' },
          { ticketId, status: 'completed' },
        ],
      });
      const revisions = await world.ask('GET', `${company.worker}/revisions`, company);
      expect(revisions.body).toMatchObject({ items: [{ revision: 1, state: 'deploy_pending' }], next: null });
    });
  });

  describe('An organisation', () => {
    test('has every slug once: of workspaces everywhere, of departments in a workspace', async () => {
      const company = await given();
      await company
        .when('POST', '/departments', { name: 'P', slug: 'payments' })
        .then(409, 'NameTaken', { field: 'slug' });
      const token = await world.signIn();
      const taken = await world.ask('POST', '/workspaces', { token, body: { name: 'Main', slug: 'main' } });
      expect(problemOf(taken)).toMatchObject({ title: 'NameTaken', status: 409 });
      expect(taken.text).not.toContain('ownerId');
    });

    test('has a member once', async () => {
      const company = await given();
      const { email } = world.administrator;
      await company
        .when('POST', '/invitations', { email, role: 'ADMIN' })
        .then(409, 'MemberExists', { field: 'email' });
    });

    test('keeps an owner', async () => {
      const company = await given();
      const mine = `/members/${world.administrator.userId}`;
      await company.when('PATCH', mine, { role: 'ADMIN' }).then(409, 'LastOwnerRequired');
      await company.when('DELETE', mine).then(409, 'LastOwnerRequired');
    });

    test('knows its members, departments and tokens only', async () => {
      const company = await given();
      const nobody = randomUUID();
      await company.when('PATCH', `/members/${nobody}`, { role: 'ADMIN' }).then(404, 'MemberNotFound');
      await company.when('DELETE', `/members/${nobody}`).then(404, 'MemberNotFound');
      await company.when('DELETE', `/api-tokens/${nobody}`).then(404, 'ApiTokenNotFound');
      await company.when('DELETE', '/api-tokens/no-id').then(404, 'ApiTokenNotFound');
      await company.when('DELETE', `/invitations/${nobody}`).then(404, 'InvitationNotFound');
      await company.when('DELETE', '/invitations/no-id').then(404, 'InvitationNotFound');
      await company.when('GET', `/departments/${nobody}`).then(404, 'DepartmentNotFound');
      await company
        .when('POST', '/invitations', { email: 'a@example.com', role: 'VIEWER', departmentIds: [nobody] })
        .then(404, 'DepartmentNotFound', { field: 'departmentIds' });
    });

    test.each([
      ['/invitations', { email: 'no address', role: 'VIEWER' }, 'email'],
      ['/invitations', { email: 'a@example.com', role: 'KING' }, 'role'],
      ['/invitations', { email: 'a@example.com', role: 'VIEWER', expiresInDays: 31 }, 'expiresInDays'],
      ['/departments', { name: '', slug: 'x' }, 'name'],
      ['/departments', { name: 'a\u0000b', slug: 'x' }, 'name'],
      ['/departments', { name: 'x', slug: 'No Slug' }, 'slug'],
      ['/departments', { name: 'x', slug: '-x' }, 'slug'],
      ['/api-tokens', { name: 'x', role: 'VIEWER', expiresInDays: 0 }, 'expiresInDays'],
    ])('names the field that is not acceptable: POST %s %j', async (path, body, field) => {
      const company = await given();
      await company.when('POST', path, body).then(400, 'RequestInvalid', { field });
    });

    test('shows a person the workspaces that he belongs to, with what he is there', async () => {
      const company = await aCompany(world);
      const member = await aMember(world, company, { role: 'MEMBER', departmentIds: [company.departmentId] });
      const list = await world.ask('GET', `/workspaces?waitFor=${await world.log.head()}`, member);
      expect(list.body).toMatchObject({
        items: [{ id: company.workspaceId, role: 'MEMBER', departmentIds: [company.departmentId] }],
        next: null,
      });
      const members = await world.ask('GET', `${company.base}/members`, member);
      expect(members.body).toMatchObject({
        items: [{ role: 'OWNER' }, { userId: member.userId, email: member.email }],
      });
    });
  });
};
