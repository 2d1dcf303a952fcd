import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  createdResource,
  relatedResources,
  relation,
  resource,
  resourceGraph,
  resourceWithRelations,
  taggedResource,
} from '../../src/api/resourceModels.ts';
import { type ApiWorld, aCompany, aLiveWorker, aMember, type Company, problemOf } from '../support/api.ts';

const page = z.object({ items: z.array(resource), next: z.string().nullable() });
const relationPage = z.object({ items: z.array(relation), next: z.string().nullable() });

export const resourceSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  let company: Company;
  let other: string;
  let workerId: string;
  let limited: { readonly token: string };
  let viewer: { readonly token: string };
  let shelf: string;
  let rack: string;

  const get = async (path: string, token = company.token) =>
    world.ask('GET', `${company.base}${path}${path.includes('?') ? '&' : '?'}waitFor=${await world.log.head()}`, {
      token,
    });
  const post = (path: string, body: object, token = company.token) =>
    world.ask('POST', `${company.base}${path}`, { token, body });
  const create = async (body: object, token?: string) =>
    createdResource.parse((await post('/resources', body, token)).body).id;
  const list = async (query: string, token?: string) =>
    page.parse((await get(`/resources?${query}`, token)).body).items;
  const namesOf = async (query: string, token?: string) => (await list(query, token)).map(({ name }) => name);

  beforeAll(async () => {
    world = await shared();
    company = await aCompany(world);
    ({ workerId } = await aLiveWorker(world, company));
    const department = await post('/departments', { name: 'Other', slug: 'other' });
    other = String(Object(department.body).id);
    limited = await aMember(world, company, { role: 'ADMIN', departmentIds: [company.departmentId] });
    viewer = await aMember(world, company, { role: 'VIEWER' });
    shelf = await create({ name: 'Shelf 100%_A', kind: 'shelf', metadata: { apiToken: 'sesame', floor: '2' } });
    rack = await create({ name: 'Rack', kind: 'rack', departmentId: other, provider: 'hetzner' });
  });

  test('a department and its worker are resources with their own ids, and the worker belongs to the department', async () => {
    const found = await get(`/resources/${workerId}`);
    const { type, status, provider, relations } = resourceWithRelations.parse(found.body);
    expect({ type, status, provider }).toEqual({ type: 'edgeWorker', status: 'active', provider: 'workerd' });
    expect(relations).toMatchObject([
      { sourceId: workerId, type: 'belongs_to', targetId: company.departmentId, madeBy: 'feature' },
    ]);
  });

  test('what looks like a secret in a note is masked in the log already', async () => {
    const [found] = await list('kind=shelf');
    expect(found?.metadata).toEqual({ apiToken: '[masked]', floor: '2' });
    let isInLog = false;
    for await (const event of world.log.readAll()) isInLog ||= JSON.stringify(event.data).includes('sesame');
    expect(isInLog).toBe(false);
  });

  test('a search takes what a pattern would take literally, and finds names in upper or lower case', async () => {
    expect(await namesOf('q=100%25_a')).toEqual(['Shelf 100%_A']);
    expect(await namesOf('q=1%25a')).toEqual([]);
    expect(await namesOf('q=100_')).toEqual([]);
    expect(await namesOf('q=!')).toEqual([]);
    expect(await namesOf('type=custom&provider=hetzner')).toEqual(['Rack']);
    expect(await namesOf(`type=custom&departmentId=${other}`)).toEqual(['Rack']);
  });

  test('pages follow each other without a gap', async () => {
    const all = await namesOf('limit=200');
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answered = page.parse((await get(`/resources?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)).body);
      paged.push(...answered.items.map(({ name }) => name));
      cursor = answered.next;
    }
    expect(paged).toEqual(all);
    expect(all.length).toBeGreaterThan(4);
  });

  test('tags go on resources of every type, are found, and are taken away again', async () => {
    const tagged = await post(`/resources/${workerId}/tag`, { tags: ['team', 'env=production'] });
    expect(taggedResource.parse(tagged.body).tags).toEqual(['env=production', 'team']);
    await post(`/resources/${shelf}/tag`, { tags: ['team'] });
    expect((await list('tag=team')).map(({ id }) => id).sort()).toEqual([workerId, shelf].sort());
    expect((await list('tag=env=production')).map(({ id }) => id)).toEqual([workerId]);
    await post(`/resources/${workerId}/untag`, { tags: ['team'] });
    expect((await list('tag=team')).map(({ id }) => id)).toEqual([shelf]);
    const many = Array.from({ length: 50 }, (_, index) => `t${index}`);
    expect(problemOf(await post(`/resources/${shelf}/tag`, { tags: many })).title).toBe('ResourceTagsExhausted');
    for (const tags of [['Team'], ['a='], ['a b'], ['_x'], []]) {
      expect(problemOf(await post(`/resources/${shelf}/tag`, { tags })).title).toBe('RequestInvalid');
    }
  });

  test('a walk follows relations in either direction, also round in a circle, and ends at its depth', async () => {
    const relate = (sourceId: string, type: string, targetId: string) =>
      post('/resource-relations', { sourceId, type, targetId });
    const related = await relate(shelf, 'depends_on', rack);
    expect(related.status).toBe(201);
    expect((await relate(shelf, 'depends_on', rack)).body).toEqual(relatedResources.parse(related.body));
    await relate(rack, 'depends_on', workerId);
    await relate(workerId, 'uses', shelf);
    const walk = async (query: string) => resourceGraph.parse((await get(`/resources/${shelf}/graph?${query}`)).body);
    const round = await walk('depth=8&direction=out&types=depends_on,uses');
    expect(round.nodes.map(({ id, distance }) => [id, distance])).toEqual([
      [shelf, 0],
      [rack, 1],
      [workerId, 2],
    ]);
    expect(round.edges.map(({ type }) => type).sort()).toEqual(['depends_on', 'depends_on', 'uses']);
    expect(round.cut).toBeNull();
    expect((await walk('depth=1&direction=in')).nodes.map(({ id }) => id)).toEqual([shelf, workerId]);
    expect((await walk('depth=0')).nodes.map(({ id }) => id)).toEqual([shelf]);
    const all = relationPage.parse((await get(`/resource-relations?resourceId=${rack}&type=depends_on`)).body);
    expect(all.items).toHaveLength(2);
  });

  test('what a feature makes is not for hands: neither its resources nor its relations', async () => {
    const worker = `${company.base}/resources/${workerId}`;
    const renamed = await world.ask('PATCH', worker, { token: company.token, body: { name: 'Mine' } });
    expect(problemOf(renamed)).toMatchObject({ title: 'ResourceManaged', details: { type: 'edgeWorker' } });
    expect(problemOf(await world.ask('DELETE', worker, { token: company.token })).title).toBe('ResourceManaged');
    const edge = { sourceId: workerId, type: 'belongs_to', targetId: company.departmentId };
    expect(problemOf(await post('/resource-relations', edge)).title).toBe('ResourceRelationManaged');
    const { relations } = resourceWithRelations.parse((await get(`/resources/${workerId}`)).body);
    const owned = relations.find(({ madeBy }) => madeBy === 'feature');
    const removed = await world.ask('DELETE', `${company.base}/resource-relations/${owned?.id}`, {
      token: company.token,
    });
    expect(problemOf(removed).title).toBe('ResourceRelationManaged');
    const itself = { sourceId: shelf, type: 'uses', targetId: shelf };
    expect(problemOf(await post('/resource-relations', itself)).title).toBe('ResourceRelationInvalid');
  });

  describe('A member of one department', () => {
    test('sees what is of it and of everybody, and no edge to what is hidden', async () => {
      const seen = await list('limit=200', limited.token);
      expect(seen.map(({ id }) => id)).toEqual(expect.arrayContaining([company.departmentId, workerId, shelf]));
      expect(seen.some(({ departmentId }) => departmentId === other)).toBe(false);
      const shown = resourceWithRelations.parse((await get(`/resources/${shelf}`, limited.token)).body);
      expect(JSON.stringify(shown)).not.toContain(rack);
      const graph = resourceGraph.parse((await get(`/resources/${shelf}/graph?depth=8`, limited.token)).body);
      expect(JSON.stringify(graph)).not.toContain(rack);
      const text = (await get('/resource-graph?format=jsonl', limited.token)).text;
      expect(text).not.toContain(rack);
      expect(text).toContain(shelf);
    });

    test('gets the answer of what never was for what is hidden', async () => {
      const never = randomUUID();
      for (const path of [`/resources/ID`, '/resources/ID/graph']) {
        const hidden = problemOf(await get(path.replace('ID', rack), limited.token));
        const nobodys = problemOf(await get(path.replace('ID', never), limited.token));
        expect({ ...hidden, requestId: '' }).toEqual({ ...nobodys, requestId: '' });
        expect(hidden.title).toBe('ResourceNotFound');
      }
      const asks = [
        (id: string) => post(`/resources/${id}/tag`, { tags: ['x'] }, limited.token),
        (id: string) => post('/resource-relations', { sourceId: workerId, type: 'uses', targetId: id }, limited.token),
      ];
      for (const ask of asks) {
        expect({ ...problemOf(await ask(rack)), requestId: '' }).toEqual({
          ...problemOf(await ask(never)),
          requestId: '',
        });
      }
    });

    test('changes nothing of the whole workspace', async () => {
      expect(problemOf(await post('/resources', { name: 'X', kind: 'x' }, limited.token)).title).toBe(
        'RoleInsufficient',
      );
      const tagged = await post(`/resources/${shelf}/tag`, { tags: ['mine'] }, limited.token);
      expect(problemOf(tagged).title).toBe('RoleInsufficient');
    });
  });

  test('a credential is in the graph of those alone who may list credentials', async () => {
    const value = { kind: 'generic', fields: { user: 'u' } };
    const created = await post('/credentials', { name: 'Deep Vault', value });
    expect(created.status).toBe(201);
    const credentialId = String(Object(created.body).id);
    expect((await list('type=credential')).map(({ id }) => id)).toContain(credentialId);
    expect(await list('type=credential', viewer.token)).toEqual([]);
    expect(await list('type=credential', limited.token)).toEqual([]);
    expect(problemOf(await get(`/resources/${credentialId}`, viewer.token)).title).toBe('ResourceNotFound');
    expect((await get('/resource-graph', viewer.token)).text).not.toContain('Deep Vault');
  });

  test('an export is whole in each format, and no name breaks out of its quotes', async () => {
    await create({ name: 'Say "hi" \\ [x] #1; |', kind: 'sign' });
    const lines = (await get('/resource-graph')).text.trim().split('\n');
    const parsed = lines.map((each): unknown => JSON.parse(each));
    expect(parsed.at(-1)).toMatchObject({ kind: 'end', resources: (await list('limit=200')).length, cut: false });
    const dot = (await get('/resource-graph?format=dot')).text;
    expect(dot).toContain('label="Say \\"hi\\" \\\\ [x] #1; |\\ncustom"');
    expect(dot).toMatch(/^digraph resources \{\n[\s\S]*\n\}\n\/\/ complete\n$/);
    const mermaid = (await get('/resource-graph?format=mermaid')).text;
    expect(mermaid).toMatch(/^flowchart LR\n[\s\S]*%% complete\n$/);
    expect(mermaid).toContain('Say #34;hi#34; #92; #91;x#93; #35;1#59; #124;');
  });

  test('what is removed takes its tags and relations along, and is still there in its time', async () => {
    const gone = await create({ name: 'Doomed', kind: 'doomed' });
    await post(`/resources/${gone}/tag`, { tags: ['doomed'] });
    const edge = await post('/resource-relations', { sourceId: gone, type: 'uses', targetId: workerId });
    const relationId = relatedResources.parse(edge.body).id;
    await world.ask('PATCH', `${company.base}/resources/${gone}`, {
      token: company.token,
      body: { name: 'Doomed soon' },
    });
    let then = '';
    for await (const event of world.log.readAll())
      if (event.type === 'ResourceRenamed') then = new Date(event.recordedAt).toISOString();
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(then));
    const removed = await world.ask('DELETE', `${company.base}/resources/${gone}`, { token: company.token });
    expect(removed.status).toBe(204);
    expect(problemOf(await get(`/resources/${gone}`)).title).toBe('ResourceNotFound');
    expect(await list('tag=doomed')).toEqual([]);
    const unrelated = await world.ask('DELETE', `${company.base}/resource-relations/${relationId}`, {
      token: company.token,
    });
    expect(problemOf(unrelated).title).toBe('ResourceRelationNotFound');
    expect(problemOf(await post(`/resources/${gone}/tag`, { tags: ['x'] })).title).toBe('ResourceNotFound');
    const was = resourceWithRelations.parse((await get(`/resources/${gone}?at=${then}`)).body);
    expect(was).toMatchObject({ name: 'Doomed soon', tags: ['doomed'], relations: [{ id: relationId }] });
    expect((await list(`tag=doomed&at=${then}`)).map(({ id }) => id)).toEqual([gone]);
    expect((await get(`/resource-graph?at=${then}`)).text).toContain(gone);
    expect((await get('/resource-graph')).text).not.toContain(gone);
  });

  test('a relation made by hand is removed by hand', async () => {
    const edge = await post('/resource-relations', { sourceId: shelf, type: 'monitors', targetId: workerId });
    const path = `${company.base}/resource-relations/${relatedResources.parse(edge.body).id}`;
    expect((await world.ask('DELETE', path, { token: company.token })).status).toBe(204);
    const left = relationPage.parse((await get(`/resource-relations?resourceId=${shelf}`)).body);
    expect(left.items.some(({ type }) => type === 'monitors')).toBe(false);
  });

  test('what is of a removed department goes with it', async () => {
    const department = await post('/departments', { name: 'Brief', slug: 'brief' });
    const departmentId = String(Object(department.body).id);
    const inside = await create({ name: 'Inside', kind: 'x', departmentId });
    await post('/resource-relations', { sourceId: shelf, type: 'uses', targetId: inside });
    await world.ask('DELETE', `${company.base}/departments/${departmentId}`, { token: company.token });
    expect(problemOf(await get(`/resources/${inside}`)).title).toBe('ResourceNotFound');
    expect(problemOf(await post(`/resources/${inside}/tag`, { tags: ['x'] })).title).toBe('ResourceNotFound');
    expect(JSON.stringify((await get(`/resources/${shelf}/graph`)).body)).not.toContain(inside);
  });
};
