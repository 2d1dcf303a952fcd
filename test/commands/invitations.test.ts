import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Aggregates, createAggregates } from '../../src/commands/aggregates.ts';
import { type Envelope, sha256 } from '../../src/commands/envelope.ts';
import { inviteMember } from '../../src/commands/invitation.ts';
import { acceptInvitation, registerByInvitation } from '../../src/commands/redeemInvitation.ts';
import { createWorkspace } from '../../src/commands/workspace.ts';
import { reservationId } from '../../src/domain/identifiers.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import type { Passwords } from '../../src/platform/password/port.ts';
import { startTestEventStore, type TestEventStore } from '../support/eventStore.ts';

let store: TestEventStore;
beforeAll(async () => {
  store = await startTestEventStore();
});
afterAll(() => store.stop());

/** Quick, and like a real one never the same twice. */
const passwords: Passwords = {
  hash: async (password) => `hash of ${sha256(password)} ${randomUUID()}`,
  verify: async (hash, password) => hash?.startsWith(`hash of ${sha256(password)}`) ?? false,
  isOutdated: () => false,
};
const secretKey = new Uint8Array(randomBytes(32));
const clock = { now: Date.now };

class Crash extends Error {}

/** A process that dies at the nth append: that one and all after it never happen. */
const dyingAt = (appends: number): Aggregates => {
  let left = appends;
  const log: EventLog = {
    ...store.log,
    append: (...args) => {
      left -= 1;
      return left < 0 ? Promise.reject(new Crash()) : store.log.append(...args);
    },
  };
  return createAggregates({ log, now: Date.now });
};
const living = (): Aggregates => createAggregates({ log: store.log, now: Date.now });

const envelope = (actorId = 'owner'): Envelope => ({
  commandId: randomUUID(),
  commandDigest: '',
  actor: { kind: 'user', id: actorId },
  authMethod: 'session',
  ...{ workspaceId: '', departmentId: '', requestId: '', correlationId: '', causationId: '' },
});

const must = <Value>(outcome: { readonly ok: true; readonly value: Value } | { readonly ok: false }): Value => {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  return outcome.value;
};

const typesOf = async (stream: string): Promise<string[]> => {
  const types: string[] = [];
  for await (const event of store.log.readStream(stream)) types.push(event.type);
  return types;
};

const aWorkspace = async (): Promise<string> => {
  const owner = { userId: 'owner', email: 'owner@example.com', displayName: 'Owner' };
  const slug = `w-${randomBytes(6).toString('hex')}`;
  return must(await createWorkspace({ aggregates: living() }, { name: 'W', slug }, owner, envelope())).workspaceId;
};

const invite = async (workspaceId: string, email: string) =>
  must(
    await inviteMember(
      { aggregates: living(), secretKey, clock },
      workspaceId,
      { email, role: 'MEMBER', departmentIds: [], expiresInDays: 7 },
      envelope(),
    ),
  );

const register = (aggregates: Aggregates, token: string, password = 'a password of mine') =>
  registerByInvitation({ aggregates, passwords, clock }, { token, displayName: 'Ada', password }, envelope());

const someone = (): string => `${randomUUID()}@example.com`;
const membersOf = async (workspaceId: string) => {
  const { state } = await living().workspace.load(workspaceId);
  return state.status === 'active' ? [...state.members.keys()] : [];
};

describe('Registering by an invitation', () => {
  test.each([0, 1, 2, 3])('that a crash cut short after %i appends is completed by the retry', async (appends) => {
    const workspaceId = await aWorkspace();
    const email = someone();
    const { token, invitationId } = await invite(workspaceId, email);
    await expect(register(dyingAt(appends), token)).rejects.toBeInstanceOf(Crash);
    const { userId } = must(await register(living(), token));
    expect(await typesOf(`user-${userId}`)).toEqual(['UserRegistered']);
    expect(await typesOf(`invitation-${invitationId}`)).toEqual(['InvitationIssued', 'InvitationAccepted']);
    expect(await membersOf(workspaceId)).toEqual(['owner', userId]);
    expect(must(await register(living(), token)).userId).toBe(userId);
    expect(await membersOf(workspaceId)).toEqual(['owner', userId]);
  });

  test('that a crash cut short is not completed by another password', async () => {
    const workspaceId = await aWorkspace();
    const { token } = await invite(workspaceId, someone());
    await expect(register(dyingAt(2), token)).rejects.toBeInstanceOf(Crash);
    const other = await register(living(), token, 'another password');
    expect(other).toMatchObject({ ok: false, rejection: { rejected: 'SignInRequired' } });
    expect(await membersOf(workspaceId)).toEqual(['owner']);
  });

  test('heals an address whose account a crash never registered, though another invitation comes', async () => {
    const [first, second] = [await aWorkspace(), await aWorkspace()];
    const email = someone();
    await expect(register(dyingAt(1), (await invite(first, email)).token)).rejects.toBeInstanceOf(Crash);
    const { userId } = must(await register(living(), (await invite(second, email)).token));
    const { state } = await living().reservation.load(reservationId(sha256, 'email', email));
    expect(state).toEqual({ status: 'reserved', ownerId: userId });
  });

  test('by two at once leads to one account and one membership, of whoever was first', async () => {
    const workspaceId = await aWorkspace();
    const { token } = await invite(workspaceId, someone());
    const outcomes = await Promise.all([1, 2, 3, 4].map((each) => register(living(), token, `the password ${each}`)));
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    for (const outcome of outcomes) {
      if (!outcome.ok) expect(['SignInRequired', 'InvitationNotFound']).toContain(outcome.rejection.rejected);
    }
    expect(await membersOf(workspaceId)).toHaveLength(2);
  });

  test('after the invitation was revoked in between gives no membership', async () => {
    const workspaceId = await aWorkspace();
    const { token, invitationId } = await invite(workspaceId, someone());
    const aggregates = living();
    const racing: Aggregates = {
      ...aggregates,
      user: {
        ...aggregates.user,
        send: async (...args) => {
          const command = { type: 'RevokeInvitation', data: { workspaceId } } as const;
          await living().invitation.send(invitationId, command, envelope());
          return aggregates.user.send(...args);
        },
      },
    };
    const outcome = await register(racing, token);
    expect(outcome).toMatchObject({ ok: false, rejection: { rejected: 'InvitationNotFound' } });
    expect(await membersOf(workspaceId)).toEqual(['owner']);
  });
});

describe('A member who was removed', () => {
  test('does not come back with the invitation of before', async () => {
    const workspaceId = await aWorkspace();
    const { token } = await invite(workspaceId, someone());
    const { userId } = must(await register(living(), token));
    const removal = { type: 'RemoveMember', data: { userId } } as const;
    expect(await living().workspace.send(workspaceId, removal, envelope())).toMatchObject({ ok: true });
    const unknown = { ok: false, rejection: { rejected: 'InvitationNotFound' } };
    expect(await register(living(), token)).toMatchObject(unknown);
    const deps = { aggregates: living(), clock };
    expect(await acceptInvitation(deps, userId, token, envelope(userId))).toMatchObject(unknown);
    expect(await membersOf(workspaceId)).toEqual(['owner']);
  });
});
