import { beforeAll, expect, test } from 'vitest';
import { schedulesOfWorker } from '../../src/api/schedule.ts';
import { type ApiWorld, aCompany, admitted, aLiveWorker, helloWorker, problemOf, submitted } from '../support/api.ts';

export const scheduleSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  beforeAll(async () => {
    world = await shared();
  });

  test('schedules are pinned by a revision: deploying brings them, rolling back brings those of before', async () => {
    const company = await aCompany(world);
    const { token, worker } = company;
    const deployWith = async (schedules: readonly object[]) => {
      const submission = await world.ask('POST', `${worker}/revisions`, {
        token,
        body: { ...helloWorker(), schedules },
      });
      const { workerId } = submitted.parse(submission.body);
      const { ticketId } = admitted.parse((await world.ask('POST', `${worker}/deployments`, { token })).body);
      await world.carryOut(workerId, ticketId);
      return workerId;
    };
    const shown = async () => schedulesOfWorker.parse((await world.ask('GET', `${worker}/schedules`, { token })).body);
    await deployWith([{ cron: '30  6 * * mon-fri', timeZone: 'europe/berlin' }]);
    const first = await shown();
    expect(first).toMatchObject({ revision: 1, provider: 'workerd', firing: true, lastFirings: [] });
    expect(first.schedules).toMatchObject([{ cron: '30 6 * * MON-FRI', timeZone: 'Europe/Berlin' }]);
    expect(first.schedules[0]?.next).toHaveLength(3);
    const workerId = await deployWith([{ cron: '* * * * *' }, { cron: '* * * * *', timeZone: 'UTC' }]);
    expect((await shown()).schedules).toMatchObject([{ cron: '* * * * *', timeZone: 'UTC' }]);
    const { ticketId } = admitted.parse((await world.ask('POST', `${worker}/rollback`, { token })).body);
    await world.carryOut(workerId, ticketId);
    expect((await shown()).schedules).toMatchObject([{ cron: '30 6 * * MON-FRI' }]);
    await world.ask('POST', `${worker}/pause`, { token });
    expect(await shown()).toMatchObject({ firing: false });
  });

  test.each([
    [[{ cron: '61 * * * *' }], 'schedules.0.cron'],
    [[{ cron: '* * * * *' }, { cron: '0 0 * * *', timeZone: 'Mars/Olympus' }], 'schedules.1.timeZone'],
  ])('a schedule that makes no sense is refused, and named: %j', async (schedules, field) => {
    const { token, worker } = await aCompany(world);
    const body = { ...helloWorker(), schedules };
    const answered = await world.ask('POST', `${worker}/revisions`, { token, body });
    expect(problemOf(answered)).toMatchObject({ title: 'SettingsInvalid', field });
  });

  test('a gate whose row is missing is closed for deploying and rolling back; a database that is away does not close it', async () => {
    const company = await aCompany(world);
    const { token, worker } = company;
    await aLiveWorker(world, company);
    const without = await world.behind({ aroundQueries: (queries) => ({ ...queries, scopes: async () => [] }) });
    for (const path of ['deployments', 'rollback']) {
      const answered = await without.ask('POST', `${worker}/${path}`, { token });
      expect(problemOf(answered)).toMatchObject({ status: 409, code: 'edge_workers_maintenance' });
    }
    await without.stop();
    const scopes = () => Promise.reject(new Error('away'));
    const away = await world.behind({ aroundQueries: (queries) => ({ ...queries, scopes }) });
    expect((await away.ask('POST', `${worker}/deployments`, { token })).status).toBe(202);
    await away.stop();
  });

  test('a provider that is not there, or not the one that the worker runs at, is refused', async () => {
    const company = await aCompany(world);
    const { token, worker } = company;
    await aLiveWorker(world, company);
    const body = { provider: 'cloudflare' };
    const missing = await world.ask('POST', `${worker}/deployments`, { token, body });
    expect(problemOf(missing)).toMatchObject({ status: 422, title: 'EdgeProviderNotFound', field: 'provider' });
    const cloud = await world.behind({ provider: 'cloudflare' });
    const elsewhere = await cloud.ask('POST', `${worker}/deployments`, { token, body });
    expect(problemOf(elsewhere)).toMatchObject({
      ...{ status: 409, title: 'EdgeWorkerPlacedElsewhere', details: { provider: 'workerd' } },
    });
    await cloud.stop();
  });
};
