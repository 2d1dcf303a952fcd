import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as models from '../../src/api/models.ts';
import { type ApiWorld, aCompany, aLiveWorker, aMember, type Company, problemOf, startApi } from '../support/api.ts';
import {
  anUncertainTicketOf,
  asked,
  aTicketOf,
  later,
  leaseTicket,
  lost,
  type Reported,
  reportStep,
  type Ticket,
} from '../support/tickets.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await startApi();
});
afterAll(() => world.stop());

const aTicket = () => aTicketOf(world);
const anUncertainTicket = () => anUncertainTicketOf(world);
const lease = (ticket: Ticket, now?: number) => leaseTicket(world, ticket, now);
const report = (ticket: Ticket, leaseId: string, what: Reported) => reportStep(world, ticket, leaseId, what);

const look = async ({ company, ticketId }: Ticket) => {
  const waitFor = String(await world.log.head());
  const answered = await world.ask('GET', `/worker/deployments/${ticketId}?waitFor=${waitFor}`, {
    token: company.token,
  });
  return models.deploymentWithSteps.parse(answered.body);
};
const actions = ({ explanation }: Awaited<ReturnType<typeof look>>) => explanation.ways.map(({ action }) => action);

describe('A deployment is explained', () => {
  test('while it waits for its first attempt: who takes it up, how many attempts there are, how to end it', async () => {
    const shown = await look(await aTicket());
    expect(shown.explanation).toMatchObject({ step: null, asked: null, answered: null, found: null, attemptsLeft: 5 });
    expect(shown.explanation.summary).toBe('Revision 1 waits for its first attempt.');
    expect(actions(shown)).toEqual(['cancel', 'supersede']);
  });

  test('while a runner is at work: until when it may be silent', async () => {
    const ticket = await aTicket();
    await lease(ticket);
    const shown = await look(ticket);
    expect(shown.explanation).toMatchObject({ attemptsLeft: 4, at: expect.stringMatching(/Z$/) });
    expect(shown.explanation.next).toContain('4 attempts may follow');
    expect(actions(shown)).toEqual(['cancel']);
  });

  test('while it is uncertain: what was asked and answered, that nobody has looked yet, and when somebody will', async () => {
    const shown = await look(await anUncertainTicket());
    expect(shown.steps).toMatchObject([{ mode: 'perform', facts: asked, outcome: 'uncertain' }]);
    expect(shown.explanation).toMatchObject({ ...asked, step: 'upload', found: null, attemptsLeft: 4 });
    expect(shown.explanation.at).toBe(new Date(later).toISOString());
    expect(shown.explanation.summary).toContain('not known whether step upload took effect');
    expect(actions(shown)).toEqual(['wait', 'cancel', 'giveUp']);
  });

  test('after somebody looked and could not tell: what was found, beside what had been asked', async () => {
    const ticket = await anUncertainTicket();
    const facts = { asked: 'GET deployments', found: 'another version, made a second ago' };
    await report(ticket, await lease(ticket, later), { step: 'upload', outcome: lost, mode: 'probe', facts });
    const shown = await look(ticket);
    expect(shown.steps.map(({ mode }) => mode)).toEqual(['perform', 'probe']);
    expect(shown.explanation).toMatchObject({ ...asked, found: facts.found, attemptsLeft: 3 });
    expect(shown.explanation.summary).toContain('somebody looked, and could not tell either');
  });

  test('when a look found nothing and the step was done again: by what came of that', async () => {
    const ticket = await anUncertainTicket();
    const facts = { asked: 'POST deployments', answered: '503 try later' };
    const outcome = { outcome: 'retry', detail: 'busy', nextAttemptAt: later } as const;
    await report(ticket, await lease(ticket, later), { step: 'upload', outcome, mode: 'probe', facts });
    const { explanation } = await look(ticket);
    expect(explanation).toMatchObject(facts);
    expect(explanation.summary).toContain('waits for attempt 3: step upload did not succeed');
  });

  test('when its attempts are used up: with the reason, and what to do', async () => {
    const ticket = await aTicket();
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const outcome = { outcome: 'retry', detail: 'the account is busy', nextAttemptAt: attempt } as const;
      await report(ticket, await lease(ticket), { step: 'upload', outcome });
    }
    const shown = await look(ticket);
    expect(shown).toMatchObject({ status: 'failed', reasonCode: 'attempts_exhausted' });
    expect(shown.explanation).toMatchObject({ attemptsLeft: 0, at: null, next: 'Nothing: it has settled.' });
    expect(shown.explanation.summary).toContain('the account is busy');
    expect(actions(shown)).toEqual(['repair', 'deploy']);
  });

  test('when it was refused: by the code of the refusal', async () => {
    const ticket = await aTicket();
    const outcome = { outcome: 'refused', code: 'secret_gone', detail: 'API_KEY was removed' } as const;
    await report(ticket, await lease(ticket), { step: 'upload', outcome });
    const { explanation } = await look(ticket);
    expect(explanation.ways).toMatchObject([
      { action: 'repair', description: expect.stringContaining('Store the secret') },
    ]);
  });

  test('when it is on the air, or was cancelled', async () => {
    const company = await aCompany(world);
    const live = await aLiveWorker(world, company);
    expect(actions(await look({ company, ...live }))).toEqual(['rollback']);
    const ticket = await aTicket();
    await world.ask('POST', `/worker/deployments/${ticket.ticketId}/cancel`, { token: ticket.company.token });
    const shown = await look(ticket);
    expect(shown.explanation.summary).toContain('was cancelled');
    expect(actions(shown)).toEqual(['deploy']);
  });

  test('without what looks like a credential in what the outside said', async () => {
    const ticket = await aTicket();
    const key = `opaque-${'a1b2c3d4'.repeat(4)}`;
    const facts = { asked: `GET with Bearer ${key}`, answered: `wrong: Authorization: Bearer ${key}` };
    await report(ticket, await lease(ticket), {
      step: 'upload',
      outcome: { ...lost, detail: `Bearer ${key} was refused` },
      facts,
    });
    expect(JSON.stringify(await look(ticket))).not.toContain(key);
  });
});

describe('A deployment in the place of another', () => {
  const deploy = ({ worker, token }: Company, body: object, key?: string) =>
    world.ask('POST', `${worker}/deployments`, {
      token,
      body,
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    });

  test('cancels one that waits, and its key asked again gives the same ticket', async () => {
    const ticket = await aTicket();
    const key = randomUUID();
    expect(problemOf(await deploy(ticket.company, {}))).toMatchObject({ status: 409, title: 'DeploymentAlive' });
    const first = models.admittedDeployment.parse((await deploy(ticket.company, { supersede: true }, key)).body);
    expect(first.ticketId).not.toBe(ticket.ticketId);
    const again = models.admittedDeployment.parse((await deploy(ticket.company, { supersede: true }, key)).body);
    expect(again.ticketId).toBe(first.ticketId);
    expect(await look(ticket)).toMatchObject({ status: 'cancelled' });
    // It is shown, so it is not unknown to whoever cancels it a second time.
    const path = `/worker/deployments/${ticket.ticketId}/cancel`;
    expect(problemOf(await world.ask('POST', path, { token: ticket.company.token }))).toMatchObject({
      ...{ status: 409, title: 'TicketSettled' },
    });
    expect(await look({ ...ticket, ...first })).toMatchObject({ status: 'pending' });
  });

  test('never takes it from a runner, nor from one of which nobody knows what it did', async () => {
    const leased = await aTicket();
    await lease(leased);
    for (const ticket of [leased, await anUncertainTicket()]) {
      const answered = problemOf(await deploy(ticket.company, { supersede: true }));
      expect(answered).toMatchObject({ status: 409, details: { ticketId: ticket.ticketId } });
    }
  });

  test('is not for a VIEWER', async () => {
    const ticket = await aTicket();
    const { token } = await aMember(world, ticket.company, { role: 'VIEWER' });
    const answered = await deploy({ ...ticket.company, token }, { supersede: true });
    expect(problemOf(answered)).toMatchObject({ status: 403, title: 'RoleInsufficient' });
    expect(await look(ticket)).toMatchObject({ status: 'pending' });
  });
});

describe('Giving an uncertain deployment up', () => {
  const cancel = ({ company, ticketId }: Ticket, body: object, token = company.token) =>
    world.ask('POST', `/worker/deployments/${ticketId}/cancel`, { token, body });

  test('ends it as failed, says what to do, and makes room for the next', async () => {
    const ticket = await anUncertainTicket();
    expect((await cancel(ticket, { giveUp: true })).status).toBe(202);
    const shown = await look(ticket);
    expect(shown).toMatchObject({
      status: 'failed',
      reasonCode: 'given_up',
      explanation: { attemptsLeft: 0, ...asked },
    });
    expect(actions(shown)).toEqual(['reconcile', 'deploy']);
    expect(shown.explanation.summary).toMatch(/failed: Given up while it was uncertain whether upload had happened/);
    const { worker, token } = ticket.company;
    expect((await world.ask('POST', `${worker}/deployments`, { token })).status).toBe(202);
  });

  test('is asked for by name: a plain cancel leaves it to be looked at', async () => {
    const ticket = await anUncertainTicket();
    expect((await cancel(ticket, {})).body).toMatchObject({ cancelled: false });
    const shown = await look(ticket);
    expect(shown).toMatchObject({ status: 'uncertain', cancelRequested: true });
    expect(shown.explanation.next).toContain('A cancellation was asked for');
  });

  test('twice is once, and a settled one says so', async () => {
    const ticket = await anUncertainTicket();
    await cancel(ticket, { giveUp: true });
    expect(problemOf(await cancel(ticket, { giveUp: true }))).toMatchObject({ status: 409, title: 'TicketSettled' });
  });

  test('is not for a VIEWER', async () => {
    const ticket = await anUncertainTicket();
    const { token } = await aMember(world, ticket.company, { role: 'VIEWER' });
    expect(problemOf(await cancel(ticket, { giveUp: true }, token))).toMatchObject({ title: 'RoleInsufficient' });
    expect(await look(ticket)).toMatchObject({ status: 'uncertain' });
  });
});
