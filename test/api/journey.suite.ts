import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ApiWorld, aCompany, helloWorker } from '../support/api.ts';

export const journeySuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  beforeAll(async () => {
    world = await shared();
  });

  const at = (body: unknown, name: string): unknown => z.record(z.string(), z.unknown()).parse(body)[name];

  describe('From sign-in to a live worker', () => {
    test('a department submits, deploys, follows the ticket, deploys again, rolls back, pauses and resumes', async () => {
      const { token, base, worker } = await aCompany(world);
      const first = await world.ask('POST', `${worker}/revisions`, { token, body: helloWorker('one') });
      expect(first.status).toBe(201);
      expect(first.body).toMatchObject({
        revision: 1,
        sourceFiles: 2,
        language: 'typescript',
        entryPoint: 'src/index.ts',
      });

      const deployed = await world.ask('POST', `${worker}/deployments`, { token });
      expect(deployed.status).toBe(202);
      const { ticketId, workerId, statusUrl } = z
        .object({ ticketId: z.string(), workerId: z.string(), statusUrl: z.string() })
        .parse(deployed.body);
      expect(deployed.headers.get('location')).toBe(statusUrl);

      const pending = await world.ask('GET', statusUrl, { token });
      expect(pending.body).toMatchObject({ ticketId, status: 'pending', steps: [], next: { action: 'start' } });
      const again = await world.ask('POST', `${worker}/deployments`, { token });
      expect(again.status).toBe(409);
      expect(again.body).toMatchObject({ title: 'DeploymentAlive', details: { ticketId } });

      await world.carryOut(workerId, ticketId);
      const head = String(await world.log.head());
      const done = await world.ask('GET', `${statusUrl}?waitFor=${head}`, { token });
      expect(done.body).toMatchObject({
        status: 'completed',
        attempts: 1,
        next: null,
        steps: [{ step: 'upload', outcome: 'done' }, { step: 'start' }, { step: 'route' }],
      });

      await world.ask('POST', `${worker}/revisions`, { token, body: helloWorker('two') });
      const second = await world.ask('POST', `${worker}/deployments`, { token, body: { revision: 2 } });
      await world.carryOut(workerId, z.string().parse(at(second.body, 'ticketId')));
      expect((await world.ask('GET', worker, { token })).body).toMatchObject({ status: 'active', liveRevision: 2 });

      const back = await world.ask('POST', `${worker}/rollback`, { token });
      expect(back.body).toMatchObject({ revision: 1, kind: 'rollback' });
      await world.carryOut(workerId, z.string().parse(at(back.body, 'ticketId')));
      expect((await world.ask('GET', worker, { token })).body).toMatchObject({ liveRevision: 1, newestRevision: 2 });

      expect((await world.ask('POST', `${worker}/pause`, { token })).body).toMatchObject({ status: 'paused' });
      const refused = await world.ask('POST', `${worker}/deployments`, { token });
      expect(refused.body).toMatchObject({ title: 'EdgeWorkerPaused', status: 409, code: 'edge_worker_paused' });
      const resumed = await world.ask('POST', `${worker}/resume`, { token });
      expect(resumed.body).toMatchObject({ status: 'active', liveRevision: 1 });

      const position = resumed.headers.get('opslog-position') ?? '';
      const company = await world.ask('GET', `${base}/workers?waitFor=${position}`, { token });
      expect(company.body).toMatchObject({
        items: [{ id: workerId, liveRevision: 1, latestDeployment: { kind: 'rollback' } }],
      });
      const audit = await world.ask('GET', `${base}/audit?limit=3`, { token });
      expect(audit.body).toMatchObject({ items: [{ action: 'edgeWorker.EdgeWorkerResumed' }, {}, {}] });
    });
  });
};
