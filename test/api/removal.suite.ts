import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as models from '../../src/api/models.ts';
import { type ApiWorld, aCompany, aLiveWorker, aMember, type Company, problemOf } from '../support/api.ts';

const listed = z.object({ items: z.array(z.object({ id: z.string() })) });

export const removalSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  beforeAll(async () => {
    world = await shared();
  });

  const slugOf = async ({ base, token }: Company): Promise<string> =>
    models.workspace.parse((await world.ask('GET', base, { token })).body).slug;
  const system = () => ({
    ...{ commandId: randomUUID(), commandDigest: '', workspaceId: '', departmentId: '', requestId: '' },
    ...({ correlationId: '', causationId: '', authMethod: 'system', actor: { kind: 'system', id: 'test' } } as const),
  });
  const aToken = async ({ base, token }: Company): Promise<string> => {
    const body = { name: 'ci', role: 'OWNER' };
    return models.issuedApiToken.parse((await world.ask('POST', `${base}/api-tokens`, { token, body })).body).token;
  };

  describe('Deleting a workspace', () => {
    test('needs its slug, and an OWNER of all departments', async () => {
      const company = await aCompany(world);
      const { base, token, departmentId } = company;
      const wrong = await world.ask('DELETE', base, { token, body: { confirm: 'another' } });
      expect(problemOf(wrong)).toMatchObject({ status: 422, title: 'ConfirmationMismatch', field: 'confirm' });
      const body = { confirm: await slugOf(company) };
      for (const rights of [{ role: 'ADMIN' }, { role: 'OWNER', departmentIds: [departmentId] }]) {
        const member = await aMember(world, company, rights);
        const answered = await world.ask('DELETE', base, { token: member.token, body });
        expect(problemOf(answered)).toMatchObject({ status: 403, title: 'RoleInsufficient' });
      }
      expect((await world.ask('GET', base, { token })).status).toBe(200);
    });

    test('makes everything of it answer like something that never was, to sessions and to tokens', async () => {
      const company = await aCompany(world);
      const { base, worker, token, workspaceId, departmentId } = company;
      const member = await aMember(world, company, { role: 'ADMIN' });
      const service = await aToken(company);
      const { ticketId, revision } = await aLiveWorker(world, company);
      expect((await world.ask('GET', `/worker/deployments/${ticketId}`, { token })).status).toBe(200);
      expect((await world.ask('GET', worker, { token: service })).status).toBe(200);
      const body = { confirm: await slugOf(company) };
      expect((await world.ask('DELETE', base, { token, body })).status).toBe(204);
      const never = base.replace(workspaceId, randomUUID());
      const paths = [
        ...['', '/departments', '/members', '/api-tokens', '/workers', '/audit', '/jobs'],
        ...['', '/worker', `/worker/revisions/${revision}`].map((path) => `/departments/${departmentId}${path}`),
      ];
      for (const path of paths) {
        for (const caller of [token, member.token]) {
          const answered = problemOf(await world.ask('GET', `${base}${path}`, { token: caller }));
          const unknown = problemOf(await world.ask('GET', `${never}${path}`, { token: caller }));
          expect({ ...answered, requestId: '' }).toEqual({ ...unknown, requestId: '' });
          expect(answered).toMatchObject({ status: 404, title: 'WorkspaceNotFound' });
        }
      }
      const ticket = await world.ask('GET', `/worker/deployments/${ticketId}`, { token });
      expect(problemOf(ticket)).toMatchObject({ status: 404, title: 'TicketNotFound' });
      expect((await world.ask('GET', '/auth/me', { token: service })).status).toBe(401);
      expect((await world.ask('DELETE', base, { token, body })).status).toBe(404);
      const mine = listed.parse((await world.ask('GET', '/workspaces?limit=200', { token })).body);
      expect(mine.items.map(({ id }) => id)).not.toContain(workspaceId);
    });

    test('gives its slug back at once', async () => {
      const company = await aCompany(world);
      const { base, token, workspaceId } = company;
      const slug = await slugOf(company);
      await world.ask('DELETE', base, { token, body: { confirm: slug } });
      const again = await world.ask('POST', '/workspaces', { token, body: { name: 'Again', slug } });
      expect(again.status).toBe(201);
      expect(models.workspace.parse(again.body).id).not.toBe(workspaceId);
    });

    test('can be rehearsed', async () => {
      const company = await aCompany(world);
      const { base, token } = company;
      const body = { confirm: await slugOf(company) };
      const rehearsed = await world.ask('DELETE', base, { token, body, headers: { prefer: 'dry-run' } });
      expect(rehearsed.headers.has('preference-applied')).toBe(true);
      expect((await world.ask('GET', base, { token })).status).toBe(200);
      const taken = await world.ask('POST', '/workspaces', { token, body: { name: 'Thief', slug: body.confirm } });
      expect(problemOf(taken)).toMatchObject({ title: 'NameTaken' });
    });
  });

  describe('Removing a department', () => {
    test('needs an ADMIN, hides it everywhere, and gives its slug back', async () => {
      const company = await aCompany(world);
      const { base, token, departmentId, worker } = company;
      await aLiveWorker(world, company);
      const path = `${base}/departments/${departmentId}`;
      const member = await aMember(world, company, { role: 'MEMBER' });
      expect((await world.ask('DELETE', path, { token: member.token })).status).toBe(403);
      const removed = await world.ask('DELETE', path, { token });
      expect(removed.status).toBe(204);
      for (const gone of [path, worker, `${worker}/revisions`, `${worker}/deployments`]) {
        expect(problemOf(await world.ask('GET', gone, { token }))).toMatchObject({ title: 'DepartmentNotFound' });
      }
      const headers = { 'opslog-wait-for': removed.headers.get('opslog-position') ?? '' };
      for (const list of [`${base}/departments`, `${base}/workers`]) {
        await expect
          .poll(async () => listed.parse((await world.ask('GET', list, { token, headers })).body).items)
          .toEqual([]);
      }
      const again = await world.ask('POST', `${base}/departments`, {
        token,
        body: { name: 'Payments', slug: 'payments' },
      });
      expect(again.status).toBe(201);
      expect((await world.ask('DELETE', path, { token })).status).toBe(404);
    });

    test('leaves a worker that refuses to be deployed, whoever gets through', async () => {
      const company = await aCompany(world);
      const { workerId } = await aLiveWorker(world, company);
      const command = { type: 'RetireEdgeWorker', data: { reason: 'department_removed' } } as const;
      await world.aggregates.edgeWorker.send(workerId, command, system());
      const answered = await world.ask('POST', `${company.worker}/deployments`, { token: company.token });
      expect(problemOf(answered)).toMatchObject({ status: 409, title: 'EdgeWorkerRetired' });
    });
  });

  describe('A revision past retention', () => {
    test('says so, and is refused to deploy', async () => {
      const company = await aCompany(world);
      const { token, worker } = company;
      const { workerId } = await aLiveWorker(world, company, 'one');
      await aLiveWorker(world, company, 'two');
      const command = { type: 'ReleaseRevisionArtifacts', data: { keepNewest: 1, keepDeployed: 1 } } as const;
      expect(await world.aggregates.edgeWorker.send(workerId, command, system())).toMatchObject({ ok: true });
      const answered = await world.ask('POST', `${worker}/deployments`, { token, body: { revision: 1 } });
      expect(problemOf(answered)).toMatchObject({ status: 409, title: 'RevisionRetired', field: 'revision' });
      await expect
        .poll(async () => models.revision.parse((await world.ask('GET', `${worker}/revisions/1`, { token })).body))
        .toMatchObject({ retiredAt: expect.any(String) });
    });
  });

  describe('Asking for a reconciliation', () => {
    test('needs an ADMIN of all departments, and answers with a job of its own workspace', async () => {
      const company = await aCompany(world);
      const { base, token, departmentId, workspaceId } = company;
      const path = `${base}/workers/reconcile`;
      for (const rights of [{ role: 'MEMBER' }, { role: 'ADMIN', departmentIds: [departmentId] }]) {
        const member = await aMember(world, company, rights);
        expect((await world.ask('POST', path, { token: member.token })).status).toBe(403);
      }
      const asked = await world.ask('POST', path, { token, body: { apply: true } });
      expect(asked.status).toBe(202);
      const shape = z.object({ jobs: z.array(z.object({ statusUrl: z.string() })) });
      const [job] = shape.parse(asked.body).jobs;
      const shown = await world.ask('GET', job?.statusUrl ?? '', { token });
      expect(shown.body).toMatchObject({ kind: 'edge.reconcile.workerd', subjectId: workspaceId });
      const other = await aCompany(world);
      const foreign = await world.ask('GET', (job?.statusUrl ?? '').replace(workspaceId, other.workspaceId), { token });
      expect(foreign.status).toBe(404);
    });
  });
};
