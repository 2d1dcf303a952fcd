import { describe, expect, test } from 'vitest';
import { createAggregates } from '../../src/commands/aggregates.ts';
import { decode } from '../../src/commands/envelope.ts';
import type { Role } from '../../src/domain/roles.ts';
import { revokeTokensOfMembers } from '../../src/sagas/revokeTokensOfMembers.ts';
import { createMemoryLog } from '../support/memoryLog.ts';

type Token = {
  readonly role: Role;
  readonly by: string;
  readonly departmentId?: string;
  readonly workspaceId?: string;
};

/** Tokens of a workspace in a log; `when` tells the saga of a fact, `revoked` are the tokens that are over afterwards. */
const given = (tokens: Readonly<Record<string, Token>>) => {
  const log = createMemoryLog();
  for (const [id, { role, by, departmentId = '', workspaceId = 'w1' }] of Object.entries(tokens)) {
    const kind = by in tokens ? 'apiToken' : 'user';
    const data = { workspaceId, name: id, digest: id, role, departmentId, expiresAt: 0, issuedBy: { kind, id: by } };
    log.add(`apiToken-${id}`, 'ApiTokenIssued', data, { workspaceId });
  }
  const aggregates = createAggregates({ log, now: Date.now });
  // As the read table answers: by workspace and giver, whatever has become of the token since.
  const tokensIssuedBy = async (workspaceId: string, issuer: string) =>
    Object.entries(tokens)
      .filter(([, token]) => (token.workspaceId ?? 'w1') === workspaceId && token.by === issuer)
      .map(([id]) => id);
  const saga = revokeTokensOfMembers({ tokens: aggregates.apiToken, tokensIssuedBy });
  const when = async (stream: string, type: string, data: object) => {
    log.add(stream, type, data, { workspaceId: 'w1' });
    const last = log.events.at(-1);
    const event = last && decode(last);
    if (!event) throw new Error(`${type} is no fact of the catalogue.`);
    await saga.react(event);
    return event;
  };
  const revoked = () =>
    log.events.filter(({ type }) => type === 'ApiTokenRevoked').map(({ stream }) => stream.replace('apiToken-', ''));
  return { log, saga, when, revoked };
};

describe('Tokens of whoever', () => {
  test('was removed are over, those of others and of other workspaces go on', async () => {
    const world = given({
      own: { role: 'VIEWER', by: 'ada' },
      others: { role: 'VIEWER', by: 'bob' },
      elsewhere: { role: 'VIEWER', by: 'ada', workspaceId: 'w2' },
    });
    await world.when('workspace-w1', 'MemberRemoved', { userId: 'ada' });
    expect(world.revoked()).toEqual(['own']);
  });

  test('lost a role are over where they go beyond what is left', async () => {
    const world = given({ admin: { role: 'ADMIN', by: 'ada' }, viewer: { role: 'VIEWER', by: 'ada' } });
    await world.when('workspace-w1', 'MemberRoleAssigned', { userId: 'ada', role: 'MEMBER', departmentIds: [] });
    expect(world.revoked()).toEqual(['admin']);
  });

  test('was limited to departments are over outside of these', async () => {
    const world = given({
      everywhere: { role: 'VIEWER', by: 'ada' },
      inside: { role: 'VIEWER', by: 'ada', departmentId: 'd1' },
      outside: { role: 'VIEWER', by: 'ada', departmentId: 'd2' },
    });
    await world.when('workspace-w1', 'MemberRoleAssigned', { userId: 'ada', role: 'VIEWER', departmentIds: ['d1'] });
    expect(world.revoked()).toEqual(['everywhere', 'outside']);
  });

  test('got more rights go on', async () => {
    const world = given({ own: { role: 'VIEWER', by: 'ada' } });
    await world.when('workspace-w1', 'MemberRoleAssigned', { userId: 'ada', role: 'OWNER', departmentIds: [] });
    expect(world.revoked()).toEqual([]);
  });
});

describe('A token that was revoked', () => {
  test('takes those along that it gave out, one fact at a time', async () => {
    const world = given({
      parent: { role: 'ADMIN', by: 'ada' },
      child: { role: 'VIEWER', by: 'parent' },
      grandchild: { role: 'VIEWER', by: 'child' },
    });
    await world.when('apiToken-parent', 'ApiTokenRevoked', {});
    expect(world.revoked()).toEqual(['parent', 'child']);
    const last = world.log.events.at(-1);
    const event = last && decode(last);
    if (event) await world.saga.react(event);
    expect(world.revoked()).toEqual(['parent', 'child', 'grandchild']);
  });
});

describe('The fact', () => {
  test('that comes twice revokes once, and says which fact it followed from', async () => {
    const world = given({ own: { role: 'VIEWER', by: 'ada' } });
    const event = await world.when('workspace-w1', 'MemberRemoved', { userId: 'ada' });
    await world.saga.react(event);
    expect(world.revoked()).toEqual(['own']);
    expect(world.log.events.at(-1)?.metadata).toMatchObject({
      workspaceId: 'w1',
      $causationId: event.meta.eventId,
      actor: { kind: 'system', id: 'revokeTokensOfMembers' },
    });
  });

  test('that takes nobody a right revokes nothing', async () => {
    const world = given({ own: { role: 'VIEWER', by: 'ada' } });
    await world.when('workspace-w1', 'MemberAdded', {
      ...{ userId: 'ada', email: 'ada@example.com', displayName: 'Ada', role: 'VIEWER', departmentIds: [] },
    });
    expect(world.revoked()).toEqual([]);
  });
});
