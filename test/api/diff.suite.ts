import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { workspaceDiff } from '../../src/api/diffModels.ts';
import { idOf, must, tellDomain } from '../matrix/fullWorkspace.ts';
import { type ApiWorld, aCompany, aLiveWorker, aMember, type Company, problemOf } from '../support/api.ts';
import { nextMoment } from './timeMachine.suite.ts';

type Diff = z.output<typeof workspaceDiff>;

export const diffSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  beforeAll(async () => {
    world = await shared();
  });

  const isoOf = (ms: number): string => new Date(ms).toISOString();
  const send = (company: Company, method: string, path: string, body?: unknown, headers = {}) =>
    must(world, method, `${company.base}${path}`, {
      token: company.token,
      headers,
      ...(body !== undefined && { body }),
    });
  const ask = (company: Company, query: Record<string, string>, token = company.token) =>
    world.ask('GET', `${company.base}/diff?${new URLSearchParams(query)}`, { token });
  const diff = async (company: Company, from: number, more: Record<string, string> = {}, token = company.token) => {
    const to = isoOf(await nextMoment(world, company));
    const answered = await ask(company, { from: isoOf(from), to, ...more }, token);
    expect(answered.status).toBe(200);
    return workspaceDiff.parse(answered.body);
  };
  const of = ({ items }: Diff, id: string) => items.find((each) => each.id === id);
  const value = (key: string) => ({ kind: 'generic', fields: { KEY: key } });

  test('tells field by field what was and is, with who did it and in which request', async () => {
    const company = await aCompany(world);
    const credentialId = idOf(
      await send(company, 'POST', '/credentials', { name: 'Old', value: value('first-secret') }),
    );
    const from = await nextMoment(world, company);
    const requestId = `rename-${randomUUID()}`;
    await send(company, 'POST', `/credentials/${credentialId}/rename`, { name: 'New' }, { 'X-Request-Id': requestId });
    const found = of(await diff(company, from), credentialId);
    expect(found).toMatchObject({ type: 'credential', name: 'New', change: 'changed', departmentId: null });
    expect(found?.fields).toEqual([{ field: 'name', before: 'Old', after: 'New', replaced: false }]);
    expect(found?.facts).toMatchObject([
      { event: 'CredentialRenamed', requestId, actor: { type: 'user', id: world.administrator.userId } },
    ]);
  });

  test('of a secret tells only that there is another one', async () => {
    const company = await aCompany(world);
    await send(company, 'PUT', `/departments/${company.departmentId}/worker/secrets/KEY`, { value: 'before-value' });
    const from = await nextMoment(world, company);
    await send(company, 'PUT', `/departments/${company.departmentId}/worker/secrets/KEY`, { value: 'after-value' });
    const answer = await diff(company, from);
    expect(answer.items.find(({ type }) => type === 'edgeSecret')).toMatchObject({
      ...{ name: 'KEY', change: 'changed' },
      fields: [{ field: 'value', before: null, after: null, replaced: true }],
    });
    expect(JSON.stringify(answer)).not.toMatch(/-value|digest|encrypted/);
  });

  test('tells what came, what went, and what came and went', async () => {
    const company = await aCompany(world);
    const make = async (slug: string) => idOf(await send(company, 'POST', '/departments', { name: slug, slug }));
    const old = await make('old');
    const from = await nextMoment(world, company);
    await send(company, 'DELETE', `/departments/${old}`);
    const fresh = await make('fresh');
    const short = await make('short');
    await send(company, 'DELETE', `/departments/${short}`);
    const answer = await diff(company, from, { type: 'department' });
    expect(answer.items.map(({ id, change }) => [id, change])).toEqual([
      [old, 'removed'],
      [fresh, 'created'],
      [short, 'cameAndWent'],
    ]);
    expect(of(answer, old)?.fields).toContainEqual({ field: 'slug', before: 'old', after: null, replaced: false });
  });

  test('shows a relation with both of its ends, and tags with what they are on', async () => {
    const company = await aCompany(world);
    const make = async (name: string) => idOf(await send(company, 'POST', '/resources', { kind: 'queue', name }));
    const [source, target] = [await make('source'), await make('target')];
    const from = await nextMoment(world, company);
    await send(company, 'POST', '/resource-relations', { sourceId: source, type: 'uses', targetId: target });
    await send(company, 'POST', `/resources/${company.departmentId}/tag`, { tags: ['red'] });
    const answer = await diff(company, from);
    for (const id of [source, target]) {
      expect(of(answer, id)).toMatchObject({
        change: 'changed',
        relations: { added: [{ sourceId: source, type: 'uses', targetId: target }], removed: [] },
        facts: [{ event: 'ResourceRelationCreated', actor: { id: world.administrator.userId } }],
      });
    }
    expect(of(answer, company.departmentId)).toMatchObject({
      ...{ type: 'department', name: 'Payments', change: 'changed' },
      fields: [{ field: 'tags', before: null, after: ['red'], replaced: false }],
    });
  });

  test('follows a worker over its deployment', async () => {
    const company = await aCompany(world);
    const from = await nextMoment(world, company);
    const { workerId } = await aLiveWorker(world, company);
    const found = of(await diff(company, from, { type: 'edgeWorker' }), workerId);
    expect(found).toMatchObject({ change: 'created', departmentId: company.departmentId });
    expect(found?.fields).toContainEqual({ field: 'liveRevision', before: null, after: 1, replaced: false });
    expect(found?.facts.map(({ event }) => event)).toContain('DeploymentCompleted');
    expect(found?.fields.filter(({ before, after }) => before === null && after === null)).toEqual([]);
  });

  test('comes in pages that together hold each thing once, filtered as asked', async () => {
    const company = await aCompany(world);
    const from = await nextMoment(world, company);
    const ids: string[] = [];
    for (const slug of ['a', 'b', 'c', 'd', 'e']) {
      ids.push(idOf(await send(company, 'POST', '/departments', { name: slug, slug })));
    }
    const to = isoOf(await nextMoment(world, company));
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = { from: isoOf(from), to, limit: '2', ...(cursor !== '' && { cursor }) };
      const page: Diff = workspaceDiff.parse((await ask(company, query)).body);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    }
    expect(seen).toEqual(ids);
    const one = ids[2] ?? '';
    expect((await diff(company, from, { departmentId: one })).items.map(({ id }) => id)).toEqual([one]);
    expect((await diff(company, from, { actorId: 'nobody' })).items).toEqual([]);
  });

  test('shows to everybody what he may see, and no more', async () => {
    const company = await aCompany(world);
    const from = await nextMoment(world, company);
    const other = idOf(await send(company, 'POST', '/departments', { name: 'Other', slug: 'other' }));
    for (const id of [company.departmentId, other]) {
      await send(company, 'PUT', `/departments/${id}/worker/secrets/KEY`, { value: 'a-value' });
    }
    await send(company, 'POST', '/credentials', { name: 'Kept', value: value('k') });
    const viewer = await aMember(world, company, { role: 'VIEWER' });
    const all = await diff(company, from, {}, viewer.token);
    expect(all.items.map(({ type }) => type)).not.toContain('credential');
    expect(all.items.filter(({ type }) => type === 'edgeSecret')).toHaveLength(2);
    const limited = await aMember(world, company, { role: 'ADMIN', departmentIds: [company.departmentId] });
    const own = await diff(company, from, {}, limited.token);
    expect(new Set(own.items.map(({ departmentId }) => departmentId))).toEqual(new Set([company.departmentId]));
    expect(JSON.stringify(own)).not.toContain(other);
    const stranger = await aCompany(world);
    expect(problemOf(await ask(stranger, {}, viewer.token)).title).toBe('WorkspaceNotFound');
  });

  test('tells nothing of whoever had a host name before', async () => {
    const [first, second] = [await aCompany(world), await aCompany(world)];
    await aLiveWorker(world, first);
    await aLiveWorker(world, second);
    const hostname = `${randomUUID().slice(0, 8)}.example.com`;
    const from = await nextMoment(world, second);
    for (const company of [first, second]) {
      const { workspaceId, departmentId } = company;
      const domains = `/departments/${departmentId}/worker/domains`;
      await send(company, 'POST', domains, { hostname });
      if (company === second) break;
      await tellDomain(world, { hostname, workspaceId, departmentId }, 'ConfirmDomainAttachment');
      await send(company, 'DELETE', `${domains}/${hostname}`);
      await tellDomain(world, { hostname, workspaceId, departmentId }, 'ConfirmDomainDetachment');
    }
    const answer = await diff(second, from);
    const [found] = answer.items.filter(({ type }) => type === 'edgeDomain');
    expect(found).toMatchObject({ name: hostname, change: 'created', facts: [{ event: 'DomainAttachmentRequested' }] });
    expect(JSON.stringify(answer)).not.toContain(first.workspaceId);
    expect(JSON.stringify(answer)).not.toContain(first.departmentId);
  });

  describe('Times', () => {
    test.each([
      ['to', { to: '2900-01-01T00:00:00Z' }],
      ['from', { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }],
      ['from', { from: 'yesterday' }],
    ])('of which %s makes no sense are refused', async (field, query) => {
      const company = await aCompany(world);
      expect(problemOf(await ask(company, query))).toMatchObject({ title: 'RequestInvalid', field });
    });
  });
};
