import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as models from '../../src/api/models.ts';
import { type ApiWorld, aCompany, type Company, helloWorker, problemOf, startApi } from '../support/api.ts';
import { anUncertainTicketOf, aTicketOf, leaseTicket, reportStep } from '../support/tickets.ts';

// What users of other systems complain about when several ask for deployments at once, as rules that hold over HTTP.

let world: ApiWorld;
beforeAll(async () => {
  world = await startApi();
});
afterAll(() => world.stop());

const deploy = ({ worker, token }: Company, key: string = randomUUID(), body: object = {}) =>
  world.ask('POST', `${worker}/deployments`, { token, body, headers: { 'idempotency-key': key } });
const aSubmission = async (): Promise<Company> => {
  const company = await aCompany(world);
  await world.ask('POST', `${company.worker}/revisions`, { token: company.token, body: helloWorker() });
  return company;
};
const tickets = async ({ worker, token }: Company) => {
  const listed = await world.ask('GET', `${worker}/deployments?waitFor=${await world.log.head()}`, { token });
  return models.pageOf(models.deployment, 'DeploymentPage').parse(listed.body).items;
};
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('A deployment that is asked for', () => {
  test('twice by one delivery, at the same time, is one deployment (coolify#11108)', async () => {
    const company = await aSubmission();
    const answers = await Promise.all(times(6).map(() => deploy(company, 'delivery-1')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    const ids = answers.map(({ body }) => models.admittedDeployment.parse(body).ticketId);
    expect(new Set(ids).size).toBe(1);
    expect(await tickets(company)).toHaveLength(1);
  });

  test('by several at once is admitted for one of them, and the others are told which is alive (coolify#11108)', async () => {
    const company = await aSubmission();
    const answers = await Promise.all(times(6).map(() => deploy(company)));
    const admitted = answers.filter(({ status }) => status === 202);
    expect(admitted).toHaveLength(1);
    const { ticketId } = models.admittedDeployment.parse(admitted[0]?.body);
    const refused = answers.filter(({ status }) => status !== 202).map(problemOf);
    expect(refused).toEqual(
      refused.map(() => expect.objectContaining({ title: 'DeploymentAlive', details: { ticketId } })),
    );
  });

  test('again by a sender that did not hear the answer is not done again, however often and late (dokploy#2680)', async () => {
    const company = await aSubmission();
    const first = models.admittedDeployment.parse((await deploy(company, 'hook')).body);
    await world.carryOut(first.workerId, first.ticketId);
    for (const _ of times(3)) {
      const again = await deploy(company, 'hook');
      expect(again.status).toBe(202);
      expect(models.admittedDeployment.parse(again.body).ticketId).toBe(first.ticketId);
    }
    expect(await tickets(company)).toMatchObject([{ ticketId: first.ticketId, status: 'completed' }]);
  });

  test('beside another pipeline may take the place of the one that waits instead of losing on a lock (kamal#1844)', async () => {
    const company = await aSubmission();
    const first = models.admittedDeployment.parse((await deploy(company)).body);
    const second = models.admittedDeployment.parse((await deploy(company, 'ci', { supersede: true })).body);
    expect(await tickets(company)).toMatchObject([
      { ticketId: second.ticketId, status: 'pending' },
      { ticketId: first.ticketId, status: 'cancelled' },
    ]);
  });

  test('after one was cancelled finds nothing held, whatever that one was doing (bike_index#4313)', async () => {
    const waiting = await aTicketOf(world);
    const uncertain = await anUncertainTicketOf(world);
    for (const { ticketId, company } of [waiting, uncertain]) {
      const body = { giveUp: true };
      await world.ask('POST', `/worker/deployments/${ticketId}/cancel`, { token: company.token, body });
      expect((await deploy(company)).status).toBe(202);
    }
  });
});

describe('Cancelling', () => {
  test('answered with a loss of connection and asked again is answered, and holds nothing up (coolify#11327)', async () => {
    const { company, ticketId } = await aTicketOf(world);
    const cancel = () =>
      world.ask('POST', `/worker/deployments/${ticketId}/cancel`, {
        ...{ token: company.token, headers: { 'idempotency-key': 'cancel-once' } },
      });
    expect((await cancel()).body).toMatchObject({ cancelled: true });
    expect((await cancel()).body).toMatchObject({ cancelled: true });
    expect((await deploy(company)).status).toBe(202);
  });

  test('what a runner works on is never shown as cancelled while it goes on (coolify#5850)', async () => {
    const ticket = await aTicketOf(world);
    const { company, ticketId } = ticket;
    const leaseId = await leaseTicket(world, ticket);
    const answered = await world.ask('POST', `/worker/deployments/${ticketId}/cancel`, { token: company.token });
    expect(answered.body).toMatchObject({ cancelled: false });
    expect(await tickets(company)).toMatchObject([{ status: 'leased', cancelRequested: true }]);
    for (const step of ['upload', 'start', 'route']) {
      await reportStep(world, ticket, leaseId, { step, outcome: { outcome: 'done', detail: '' } });
    }
    expect(await tickets(company)).toMatchObject([{ status: 'completed' }]);
  });
});
