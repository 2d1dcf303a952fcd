import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import * as models from '../../src/api/models.ts';
import { decode } from '../../src/commands/envelope.ts';
import { type ApiWorld, aCompany, aLiveWorker, aMember, type Company, helloWorker, startApi } from '../support/api.ts';

let world: ApiWorld;
const lost: number[] = [];
beforeAll(async () => {
  world = await startApi({ onLost: (count) => void lost.push(count) });
});
afterAll(() => world.stop());

const page = z.object({ items: z.array(models.auditEntry) });
/** What the auditor of a company sees of refusals, newest first. */
const refusalsSeen = async ({ base, token }: Company, filter = '') => {
  const path = `${base}/audit?status=refused&limit=200&waitFor=${await world.log.head()}${filter}`;
  return page.parse((await world.ask('GET', path, { token })).body).items;
};
const facts = async (workspaceId: string) => {
  const found = [];
  for await (const stored of world.log.readAll({})) {
    const event = decode(stored);
    if (event?.type === 'ControlActionRefused' && event.meta.workspaceId === workspaceId) found.push(event);
  }
  return found;
};

describe('A refused action on an edge worker', () => {
  test('is in the log before its answer goes out, and in the audit trail, with its code and who asked', async () => {
    const company = await aCompany(world);
    const { token, worker, workspaceId } = company;
    await world.ask('POST', `${worker}/revisions`, { token, body: helloWorker() });
    await world.ask('POST', `${worker}/deployments`, { token });
    const answered = await world.ask('POST', `${worker}/deployments`, { token });
    expect(answered.status).toBe(409);
    const [event] = await facts(workspaceId);
    expect(event?.data).toMatchObject({ action: 'deployRevision', result: 'refused', reasonCode: 'deployment_alive' });
    const seen = await refusalsSeen(company);
    expect(seen).toMatchObject([
      { action: 'controlAudit.ControlActionRefused', status: 'refused', riskLevel: 'medium' },
    ]);
    expect(seen[0]?.resource.type).toBe('edgeWorker');
    expect(seen[0]?.requestId).toBe(answered.headers.get('x-request-id'));
    const of = `&resourceType=edgeWorker&resourceId=${seen[0]?.resource.id}`;
    expect(await refusalsSeen(company, of)).toHaveLength(1);
  });

  test('is waited for, however slow the log is to take it', async () => {
    const company = await aCompany(world);
    const { token, base } = company;
    const { token: viewer } = await aMember(world, company, { role: 'VIEWER' });
    const order: string[] = [];
    const slow = await world.behind({
      aroundLog: (log) => ({
        ...log,
        append: async (stream, events, expected) => {
          const outcome = await log.append(stream, events, expected);
          for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
          if (stream.startsWith('controlAudit-')) order.push('in the log');
          return outcome;
        },
      }),
    });
    expect((await slow.ask('POST', `${base}/workers/reconcile`, { token: viewer, body: {} })).status).toBe(403);
    order.push('answered');
    expect(order).toEqual(['in the log', 'answered']);
    expect(await refusalsSeen({ ...company, token })).toHaveLength(1);
  });

  test('for want of a role is denied, on every part of a worker; reading what one may read is nothing', async () => {
    const company = await aCompany(world);
    const { worker, base, departmentId, workspaceId } = company;
    const { ticketId } = await aLiveWorker(world, company);
    const { token, userId } = await aMember(world, company, { role: 'VIEWER' });
    const domains = `${base}/departments/${departmentId}/domains`;
    const asks = [
      ['POST', `${worker}/deployments`, {}],
      ['POST', `${worker}/pause`, undefined],
      ['PUT', `${worker}/secrets/API_KEY`, { value: 'v' }],
      ['POST', `/worker/deployments/${ticketId}/cancel`, {}],
      ['POST', `${base}/workers/reconcile`, {}],
    ] as const;
    for (const [method, path, body] of asks) expect((await world.ask(method, path, { token, body })).status).toBe(403);
    await world.ask('GET', worker, { token });
    await world.ask('GET', domains, { token });
    const all = await facts(workspaceId);
    expect(all.map(({ data }) => [data.result, data.reasonCode])).toEqual(
      all.map(() => ['denied', 'role_insufficient']),
    );
    expect(all.map(({ data }) => data.resourceType)).toEqual([
      ...['edgeWorker', 'edgeWorker', 'edgeSecret', 'deployment', 'workspace'],
    ]);
    expect(new Set(all.map(({ meta }) => meta.actor.id))).toEqual(new Set([userId]));
  });

  test('leaves nothing of what was sent: no value, source, token or key, only a keyed digest', async () => {
    const company = await aCompany(world);
    const { token, worker, workspaceId } = company;
    const value = `value-${randomUUID()}`;
    await world.ask('POST', `${worker}/revisions`, { token, body: helloWorker() });
    await world.ask('POST', `${worker}/deployments`, { token });
    const body = { ...helloWorker(value), secretNames: ['NOT_THERE'], variables: { KEY: value } };
    expect((await world.ask('POST', `${worker}/revisions`, { token, body })).status).toBeGreaterThanOrEqual(400);
    const headers = { 'idempotency-key': 'once' };
    await world.ask('PUT', `${worker}/secrets/API_KEY`, { token, body: { value: 'first' }, headers });
    expect((await world.ask('PUT', `${worker}/secrets/API_KEY`, { token, body: { value }, headers })).status).toBe(422);
    const all = await facts(workspaceId);
    const ofSecret = all.find(({ data }) => data.resourceType === 'edgeSecret');
    expect(ofSecret?.data.digest).toMatch(/^[0-9a-f]{64}$/);
    const everything = JSON.stringify([all, await refusalsSeen(company), world.logged], (_, each) =>
      typeof each === 'bigint' ? String(each) : each,
    );
    expect(everything).not.toContain(value);
    expect(everything).not.toContain(token);
  });

  test('repeated within a minute is one event; a malformed or rehearsed one is none', async () => {
    const company = await aCompany(world);
    const { token, worker, workspaceId } = company;
    await world.ask('POST', `${worker}/revisions`, { token, body: helloWorker() });
    await world.ask('POST', `${worker}/deployments`, { token });
    await world.ask('POST', `${worker}/deployments`, { token, headers: { prefer: 'dry-run' } });
    await world.ask('POST', `${worker}/deployments`, { token, body: { revision: 'x' } });
    expect(await facts(workspaceId)).toEqual([]);
    for (let each = 0; each < 10; each += 1) await world.ask('POST', `${worker}/deployments`, { token });
    // A minute may have turned in between.
    expect((await facts(workspaceId)).length).toBeLessThanOrEqual(2);
  });
});

describe('A refused action on a credential', () => {
  const value = (key: string) => ({ kind: 'generic', fields: { KEY: key } });
  const create = async ({ base, token }: Company, body: object) => {
    const answered = await world.ask('POST', `${base}/credentials`, { token, body });
    return z.object({ id: z.string() }).parse(answered.body).id;
  };

  test('is in the audit trail as denied or refused, with the credential and without its value', async () => {
    const company = await aCompany(world);
    const { base, workspaceId } = company;
    const secret = `secret-${randomUUID()}`;
    const id = await create(company, { name: 'Deploy', value: value(secret) });
    const { token, userId } = await aMember(world, company, { role: 'MEMBER' });
    const viewer = await aMember(world, company, { role: 'VIEWER' });
    const body = { name: 'Mine', value: value(secret) };
    const asks = [
      ['GET', `${base}/credentials`, viewer.token, undefined, 403],
      ['POST', `${base}/credentials`, token, body, 403],
      ['DELETE', `${base}/credentials/${id}`, token, undefined, 403],
      ['POST', `${base}/credentials/${id}/replace`, token, { value: value(secret) }, 403],
      ['POST', `${base}/credentials`, company.token, { ...body, name: 'deploy' }, 409],
    ] as const;
    for (const [method, path, as, sent, status] of asks) {
      const answered = await world.ask(method, path, { token: as, ...(sent !== undefined && { body: sent }) });
      expect({ path, status: answered.status }).toEqual({ path, status });
    }
    const all = await facts(workspaceId);
    expect(all.map(({ data }) => [data.resourceType, data.resourceId, data.result, data.reasonCode])).toEqual([
      ['workspace', workspaceId, 'denied', 'role_insufficient'],
      ['workspace', workspaceId, 'denied', 'role_insufficient'],
      ['credential', id, 'denied', 'role_insufficient'],
      ['credential', id, 'denied', 'role_insufficient'],
      ['workspace', workspaceId, 'refused', 'name_taken'],
    ]);
    expect(all[1]?.meta.actor.id).toBe(userId);
    const seen = await refusalsSeen(company);
    expect(seen).toHaveLength(5);
    expect(JSON.stringify([all.map(({ data }) => data), seen])).not.toContain(secret);
  });

  test('of another company is not named: the record is of the workspace that was asked', async () => {
    const [company, other] = [await aCompany(world), await aCompany(world)];
    const [mine, theirs] = [
      await create(company, { name: 'Mine', value: value('a') }),
      await create(other, { name: 'Theirs', value: value('b') }),
    ];
    const { token } = await aMember(world, company, { role: 'MEMBER' });
    const { base, workspaceId } = company;
    await world.ask('DELETE', `${base}/credentials/${mine}`, { token: company.token });
    for (const id of [mine, theirs, randomUUID()]) {
      expect((await world.ask('DELETE', `${base}/credentials/${id}`, { token })).status).toBe(403);
    }
    // What was never here is one thing, and recorded once.
    expect((await facts(workspaceId)).map(({ data }) => [data.resourceType, data.resourceId])).toEqual([
      ['credential', mine],
      ['workspace', workspaceId],
    ]);
    expect(JSON.stringify(await refusalsSeen(company))).not.toContain(theirs);
  });

  test('that the caller is kept out of is told apart from one that never was, which leaves nothing', async () => {
    const company = await aCompany(world);
    const { base, workspaceId, departmentId } = company;
    const made = await world.ask('POST', `${base}/departments`, {
      ...{ token: company.token, body: { name: 'Other', slug: 'other' } },
    });
    const departmentIds = [models.department.parse(made.body).id];
    const { token } = await aMember(world, company, { role: 'ADMIN', departmentIds });
    const ids = [
      await create(company, { name: 'Theirs', departmentId, value: value('a') }),
      await create(company, { name: 'All', value: value('b') }),
    ];
    for (const id of [...ids, randomUUID(), 'nothing']) {
      expect((await world.ask('DELETE', `${base}/credentials/${id}`, { token })).status).toBe(404);
    }
    await vi.waitFor(async () => expect(await facts(workspaceId)).toHaveLength(2), { timeout: 10_000 });
    const all = await facts(workspaceId);
    expect(all.map(({ data }) => data.resourceId).toSorted()).toEqual(ids.toSorted());
    expect(all.map(({ data }) => data.reasonCode)).toEqual(['department_forbidden', 'department_forbidden']);
  });
});

describe('Somebody who is nothing in a company', () => {
  test('is seen by its auditor, by id alone, and learns nothing', async () => {
    const theirs = await aCompany(world);
    const { ticketId } = await aLiveWorker(world, theirs);
    const stranger = await aMember(world, await aCompany(world), { role: 'OWNER' });
    const headers = { 'x-request-id': 'please-read-this-text', 'x-correlation-id': 'please-read-this-text' };
    const ask = (method: string, path: string) => world.ask(method, path, { token: stranger.token, headers });
    expect((await ask('POST', `${theirs.worker}/pause`)).status).toBe(404);
    expect((await ask('GET', `/worker/deployments/${ticketId}`)).status).toBe(404);
    await vi.waitFor(async () => expect(await facts(theirs.workspaceId)).toHaveLength(2), { timeout: 10_000 });
    const seen = await refusalsSeen(theirs);
    for (const entry of seen) {
      expect(entry).toMatchObject({
        departmentId: null,
        requestId: null,
        actor: { type: 'user', id: stranger.userId },
      });
      expect(entry.resource).toEqual({ type: 'workspace', id: theirs.workspaceId });
      expect(entry.metadata).toMatchObject({ result: 'denied', reasonCode: 'membership_missing' });
    }
    expect(JSON.stringify(seen)).not.toMatch(/please-read-this-text|example\.com/);
  });

  test('who asks for what never was leaves nothing, as does a token that nobody knows', async () => {
    const { token } = await aCompany(world);
    const neverId = randomUUID();
    const never = `/workspaces/${neverId}/departments/${randomUUID()}/worker`;
    expect((await world.ask('POST', `${never}/pause`, { token })).status).toBe(404);
    expect((await world.ask('POST', `/worker/deployments/${randomUUID()}/cancel`, { token })).status).toBe(404);
    const theirs = await aCompany(world);
    expect((await world.ask('POST', `${theirs.worker}/pause`, { token: 'ops_nobody' })).status).toBe(401);
    expect(await refusalsSeen(theirs)).toEqual([]);
    expect(await facts(neverId)).toEqual([]);
  });

  test('is told apart from a member who is kept out of a department', async () => {
    const company = await aCompany(world);
    const other = await world.ask('POST', `${company.base}/departments`, {
      ...{ token: company.token, body: { name: 'Other', slug: 'other' } },
    });
    const departmentIds = [models.department.parse(other.body).id];
    const { token } = await aMember(world, company, { role: 'ADMIN', departmentIds });
    expect((await world.ask('POST', `${company.worker}/pause`, { token })).status).toBe(404);
    await vi.waitFor(async () => expect(await facts(company.workspaceId)).toHaveLength(1), { timeout: 10_000 });
    const [entry] = await refusalsSeen(company);
    expect(entry).toMatchObject({
      departmentId: company.departmentId,
      metadata: { reasonCode: 'department_forbidden' },
    });
  });
});

describe('When the log takes no refusals', () => {
  test('the answer is given all the same, and the loss is counted and logged', async () => {
    const company = await aCompany(world);
    const { token, worker } = company;
    await world.ask('POST', `${worker}/revisions`, { token, body: helloWorker() });
    await world.ask('POST', `${worker}/deployments`, { token });
    const down = await world.behind({
      onLost: (count) => void lost.push(count),
      aroundLog: (log) => ({
        ...log,
        append: (stream, events, expected) =>
          stream.startsWith('controlAudit-') ? Promise.reject(new Error('down')) : log.append(stream, events, expected),
      }),
    });
    expect((await down.ask('POST', `${worker}/deployments`, { token })).status).toBe(409);
    expect(lost).toEqual([1]);
    expect(world.logged.join('\n')).toContain('Refused actions were not audited.');
    expect(await facts(company.workspaceId)).toEqual([]);
  });
});
