import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { CredentialEvent } from '../../src/domain/credential/index.ts';
import { onEveryDatabase } from '../support/database.ts';
import { type Fact, fact, type ProjectionWorld, startProjection } from '../support/projection.ts';

const encryptedData = { iv: 'aXY=', tag: 'dGFn', data: 'c2VhbGVk' };
const value = (token: string) => ({
  details: { kind: 'apiToken', provider: 'cloudflare' } as const,
  ...{ keyId: `key-of-${token}`, digest: `digest-of-${token}`, encryptedData: { ...encryptedData, data: token } },
});
const created = (name: string, departmentId = '', workspaceId = 'company-1'): CredentialEvent => ({
  type: 'CredentialCreated',
  data: { workspaceId, departmentId, name, description: 'for the site', ...value('a') },
});
const deleted = (reason: 'requested' | 'workspace_deleted' = 'requested'): CredentialEvent => ({
  type: 'CredentialDeleted',
  data: { name: 'x', reason, keyIds: ['key-of-a'] },
});

await onEveryDatabase('The table of credentials', (target) => {
  let world: ProjectionWorld;
  beforeAll(async () => {
    world = await startProjection(target);
  });
  beforeEach(() => world.reset());
  afterAll(() => world?.stop());

  const of = (id: string, ...events: readonly CredentialEvent[]): readonly Fact[] =>
    events.map((event) => fact(`credential-${id}`, event));
  const used = fact('credentialUse-u1', {
    type: 'CredentialUsed',
    data: { credentialId: 'c1', version: 1, purpose: 'server.connect', subjectId: 'server-1', windowStart: 0 },
  });

  it('holds the newest value sealed, as iv, tag and data', async () => {
    const replaced: CredentialEvent = {
      type: 'CredentialReplaced',
      data: { ...value('b'), version: 2, replacedKeyId: 'key-of-a' },
    };
    await world.project(of('c1', created('x'), replaced));
    expect(await world.rows('credentials')).toMatchObject([
      {
        ...{ id: 'c1', workspace_id: 'company-1', department_id: '', name: 'x', kind: 'apiToken', version: 2 },
        ...{ digest: 'digest-of-b', status: 'active', encrypted_data: '{"data":"b","iv":"aXY=","tag":"dGFn"}' },
      },
    ]);
  });

  it('forgets the value with the deletion, before its key is destroyed, and says when that was', async () => {
    await world.project(of('c1', created('x'), deleted()));
    expect(await world.rows('credentials')).toMatchObject([
      { status: 'deleted', encrypted_data: null, digest: '', shredded_at: null, deleted_by: 'user-1' },
    ]);
    await world.project(of('c1', { type: 'CredentialShredded', data: { keyIds: ['key-of-a'] } }));
    expect((await world.rows('credentials'))[0]?.['shredded_at']).not.toBeNull();
  });

  it('has nothing left of what went with its workspace', async () => {
    await world.project(of('c1', created('x'), deleted('workspace_deleted')));
    expect(await world.rows('credentials')).toEqual([]);
  });

  it('shows the last use', async () => {
    await world.project([...of('c1', created('x')), used]);
    const found = await world.queries.credential({
      workspaceId: 'company-1',
      credentialId: 'c1',
      departmentIds: undefined,
    });
    expect(found?.lastUse).toMatchObject({ purpose: 'server.connect', subjectId: 'server-1' });
  });

  it('a name can be had again after it was left or its credential was deleted', async () => {
    const renamed: CredentialEvent = { type: 'CredentialRenamed', data: { name: 'y', previousName: 'x', tenure: 2 } };
    await world.project([
      ...of('c1', created('x'), renamed),
      ...of('c2', created('x'), deleted()),
      ...of('c3', created('x')),
    ]);
    expect(await world.rows('credentials')).toHaveLength(3);
  });

  it('answers with the tenant and the departments in the question, and never with a sealed value', async () => {
    await world.project([
      ...of('c1', created('whole')),
      ...of('c2', created('bound', 'department-1')),
      ...of('c3', created('foreign', '', 'company-2')),
      ...of('c4', created('gone'), deleted()),
    ]);
    const ask = async (more: object) => {
      const args = { workspaceId: 'company-1', departmentIds: undefined, limit: 10, ...more };
      return (await world.queries.credentials(args)).rows;
    };
    expect((await ask({})).map(({ name }) => name)).toEqual(['whole', 'bound']);
    expect((await ask({ departmentIds: ['department-1'] })).map(({ name }) => name)).toEqual(['bound']);
    expect(await ask({ departmentIds: [] })).toEqual([]);
    expect(await ask({ kind: 'sshKey' })).toEqual([]);
    expect(JSON.stringify(await ask({}))).not.toContain('aXY=');
    const one = (credentialId: string, departmentIds?: readonly string[]) =>
      world.queries.credential({ workspaceId: 'company-1', credentialId, departmentIds });
    expect(await one('c1')).toMatchObject({ name: 'whole' });
    for (const hidden of [one('c3'), one('c4'), one('c1', ['department-1']), one('c1', [])]) {
      expect(await hidden).toBeUndefined();
    }
    expect(await world.queries.activeCredentials({ workspaceId: 'company-1', departmentId: 'department-1' })).toEqual([
      { credentialId: 'c2', departmentId: 'department-1' },
    ]);
  });
});
