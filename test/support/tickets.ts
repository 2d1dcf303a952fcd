import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import * as models from '../../src/api/models.ts';
import type { Envelope } from '../../src/commands/envelope.ts';
import type { ReportDeploymentStep } from '../../src/domain/edgeWorker/commands.ts';
import { type ApiWorld, aCompany, type Company, helloWorker } from './api.ts';

const runner = (): Envelope => ({
  ...{ commandId: randomUUID(), commandDigest: '', authMethod: 'system', actor: { kind: 'system', id: 'runner' } },
  ...{ workspaceId: '', departmentId: '', requestId: '', correlationId: '', causationId: '' },
});

export type Ticket = { readonly company: Company; readonly workerId: string; readonly ticketId: string };

/** A deployment that was just admitted, in a company of its own. */
export const aTicketOf = async (world: ApiWorld): Promise<Ticket> => {
  const company = await aCompany(world);
  const { token, worker } = company;
  await world.ask('POST', `${worker}/revisions`, { token, body: helloWorker() });
  const admitted = models.admittedDeployment.parse((await world.ask('POST', `${worker}/deployments`, { token })).body);
  return { company, workerId: admitted.workerId, ticketId: admitted.ticketId };
};

/** Takes it up as a runner does. */
export const leaseTicket = async (
  world: ApiWorld,
  { workerId, ticketId }: Ticket,
  now = Date.now(),
): Promise<string> => {
  const leaseId = randomUUID();
  const data = { ticketId, leaseId, holder: 'node', now, leasedUntil: now + 30_000, takeover: false };
  const sent = await world.aggregates.edgeWorker.send(workerId, { type: 'LeaseDeployment', data }, runner());
  expect(sent).toMatchObject({ ok: true });
  return leaseId;
};

export type Reported = Pick<ReportDeploymentStep['data'], 'step' | 'outcome'> & Partial<ReportDeploymentStep['data']>;
export const reportStep = async (
  world: ApiWorld,
  { workerId, ticketId }: Ticket,
  leaseId: string,
  what: Reported,
): Promise<void> => {
  const data = {
    ...{ ticketId, leaseId, startedAt: Date.now(), durationMs: 3, mode: 'perform' as const, facts: {}, url: '' },
    ...what,
  };
  const sent = await world.aggregates.edgeWorker.send(workerId, { type: 'ReportDeploymentStep', data }, runner());
  expect(sent).toMatchObject({ ok: true });
};

export const later = 1_900_000_000_000;
export const lost = { outcome: 'uncertain', detail: 'no answer in 10 s', nextAttemptAt: later } as const;
export const asked = { asked: 'POST deployments', answered: '504 upstream request timeout' };

/** One whose first step may or may not have happened. */
export const anUncertainTicketOf = async (world: ApiWorld): Promise<Ticket> => {
  const ticket = await aTicketOf(world);
  await reportStep(world, ticket, await leaseTicket(world, ticket), { step: 'upload', outcome: lost, facts: asked });
  return ticket;
};
