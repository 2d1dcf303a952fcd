import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../src/api/operation.ts';
import { operations } from '../../src/api/operations.ts';
import {
  type ApiWorld,
  aCompany,
  aCredential,
  aLiveWorker,
  aMember,
  anInvitation,
  type Company,
  problemOf,
} from '../support/api.ts';

export const tenancySuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  /** The ids of somebody else's company, by the names that paths give them. */
  let foreign: Readonly<Record<string, string>>;
  let own: Company;
  let limited: { readonly token: string };
  let outsider: { readonly token: string };
  let otherDepartmentId: string;

  beforeAll(async () => {
    world = await shared();
    const theirs = await aCompany(world);
    const { ticketId } = await aLiveWorker(world, theirs);
    const member = await aMember(world, theirs, { role: 'MEMBER' });
    const issued = await world.ask('POST', `${theirs.base}/api-tokens`, {
      token: theirs.token,
      body: { name: 'CI', role: 'MEMBER' },
    });
    const invited = await anInvitation(world, theirs, { email: `${randomUUID()}@example.com`, role: 'VIEWER' });
    const noted = await world.ask('POST', `${theirs.base}/resources`, {
      token: theirs.token,
      body: { name: 'Theirs', kind: 'x' },
    });
    const resourceId = String(Object(noted.body).id);
    const related = await world.ask('POST', `${theirs.base}/resource-relations`, {
      token: theirs.token,
      body: { sourceId: resourceId, type: 'uses', targetId: theirs.departmentId },
    });
    const kept = await aCredential(world, theirs);
    foreign = {
      credentialId: kept,
      resourceId,
      relationId: String(Object(related.body).id),
      workspaceId: theirs.workspaceId,
      departmentId: theirs.departmentId,
      userId: member.userId,
      tokenId: String(Object(issued.body).id),
      invitationId: invited.id,
      revision: '1',
      ticketId,
      ...(await aDelivery(theirs)),
    };
    // Somebody who owns a company of his own and is nothing in the other one.
    outsider = await aMember(world, await aCompany(world), { role: 'OWNER' });
    own = await aCompany(world, outsider.token);
    await aLiveWorker(world, own);
    limited = await aMember(world, own, { role: 'ADMIN', departmentIds: [own.departmentId] });
    const other = await world.ask('POST', `${own.base}/departments`, {
      token: own.token,
      body: { name: 'B', slug: 'b' },
    });
    otherDepartmentId = String(Object(other.body).id);
    await aLiveWorker(world, { ...own, worker: `${own.base}/departments/${otherDepartmentId}/worker` });
  });

  /** A webhook with a delivery. */
  const aDelivery = async ({ base, token }: Company) => {
    const body = { url: 'https://hooks.example/in', eventTypes: ['*'] };
    const created = await world.ask('POST', `${base}/webhooks`, { token, body });
    const webhookId = String(Object(created.body).id);
    const tested = await world.ask('POST', `${base}/webhooks/${webhookId}/test`, { token });
    return { webhookId, deliveryId: String(Object(tested.body).deliveryId) };
  };

  const fill = (path: string, ids: Readonly<Record<string, string>>): string =>
    path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => ids[name] ?? randomUUID());

  const bodies: Readonly<Record<string, object>> = {
    createDepartment: { name: 'X', slug: 'x' },
    inviteMember: { email: 'x@example.com', role: 'VIEWER' },
    createResource: { name: 'X', kind: 'x' },
    describeResource: { name: 'X' },
    tagResource: { tags: ['x'] },
    untagResource: { tags: ['x'] },
    relateResources: { sourceId: randomUUID(), type: 'uses', targetId: randomUUID() },
    changeMember: { role: 'VIEWER' },
    createCredential: { name: 'x', value: { kind: 'apiToken', provider: 'x', token: 'x' } },
    replaceCredential: { value: { kind: 'apiToken', provider: 'x', token: 'y' } },
    renameCredential: { name: 'y' },
    describeCredential: { description: 'y' },
    issueApiToken: { name: 'x', role: 'VIEWER' },
    createWebhook: { url: 'https://hooks.example/in', eventTypes: ['*'] },
    reviseWebhook: { description: 'x' },
    replayWebhook: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
    submitRevision: { files: [{ path: 'index.ts', content: 'export default { fetch() {} }' }] },
  };

  const ask = (operation: Operation, path: string, token: string) =>
    world.ask(operation.method.toUpperCase(), path, { token, body: bodies[operation.id] });

  const named = operations
    .filter(({ path, access }) => access.kind !== 'public' && path.includes('{'))
    .map((operation) => ({ name: operation.id, operation }));

  const unknown = (): Readonly<Record<string, string>> => ({});

  /** Everything of an answer that a caller could compare. */
  const shown = (answered: Awaited<ReturnType<typeof ask>>) => {
    const { requestId: _, ...problem } = problemOf(answered);
    return { status: answered.status, problem, headers: [...answered.headers.keys()].sort() };
  };

  describe('What belongs to another company answers exactly like what never was', () => {
    test.each(named)('$name', async ({ operation }) => {
      const before = await world.holdings();
      const theirs = shown(await ask(operation, fill(operation.path, foreign), outsider.token));
      const nobodys = shown(await ask(operation, fill(operation.path, unknown()), outsider.token));
      expect(theirs.status).toBe(404);
      expect(theirs).toEqual(nobodys);
      expect(await world.holdings()).toEqual(before);
    });
  });

  describe('Ids of another company below a workspace of one’s own answer exactly like what never was', () => {
    const below = named.filter(({ operation }) => /\{workspaceId\}.*\{(?!revision)/.test(operation.path));
    test.each(below)('$name', async ({ operation }) => {
      const mine = { workspaceId: own.workspaceId };
      const theirs = shown(await ask(operation, fill(operation.path, { ...foreign, ...mine }), outsider.token));
      const nobodys = shown(await ask(operation, fill(operation.path, { revision: '1', ...mine }), outsider.token));
      expect(theirs.status).toBe(404);
      expect(theirs).toEqual(nobodys);
    });
  });

  describe('A department that a member is kept out of answers exactly like one that never was', () => {
    const inDepartment = named.filter(({ operation }) => operation.access.kind === 'department');
    test.each(inDepartment)('$name', async ({ operation }) => {
      const ids = { workspaceId: own.workspaceId, revision: '1' };
      const kept = fill(operation.path, { ...ids, departmentId: otherDepartmentId });
      const hidden = shown(await ask(operation, kept, limited.token));
      const nobodys = shown(await ask(operation, fill(operation.path, ids), limited.token));
      expect(hidden).toEqual(nobodys);
      expect(hidden.problem.title).toBe('DepartmentNotFound');
    });

    test('and is in no list: departments, workers, audit, events', async () => {
      const position = String(await world.log.head());
      for (const list of ['departments', 'workers', 'audit', 'resources', 'events']) {
        const answered = await world.ask('GET', `${own.base}/${list}?limit=200&waitFor=${position}`, limited);
        expect(answered.status).toBe(200);
        expect(answered.text).toContain(own.departmentId);
        expect(answered.text).not.toContain(otherDepartmentId);
      }
    });
  });

  describe('Without a token', () => {
    test.each(named)('$name asks for one, whatever the ids', async ({ operation }) => {
      const answered = await world.ask(operation.method.toUpperCase(), fill(operation.path, foreign), {
        body: bodies[operation.id],
      });
      expect(problemOf(answered).title).toBe('AuthenticationRequired');
    });
  });

  test('a department of another company in a body answers like one that never was', async () => {
    const add = (departmentId: string) =>
      world.ask('POST', `${own.base}/invitations`, {
        token: own.token,
        body: { email: `${randomUUID()}@example.com`, role: 'VIEWER', departmentIds: [departmentId] },
      });
    const issue = (departmentId: string) =>
      world.ask('POST', `${own.base}/api-tokens`, {
        token: own.token,
        body: { name: 'x', role: 'VIEWER', departmentId },
      });
    const theirs = foreign['departmentId'] ?? '';
    expect(shown(await add(theirs))).toEqual(shown(await add(randomUUID())));
    expect(shown(await issue(theirs))).toEqual(shown(await issue(randomUUID())));
  });
};
