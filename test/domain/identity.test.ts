import { describe, expect, test } from 'vitest';
import { type ApiTokenEvent, apiToken } from '../../src/domain/apiToken/index.ts';
import { type SessionEvent, session } from '../../src/domain/session/index.ts';
import { isSessionCurrent, type UserEvent, user } from '../../src/domain/user/index.ts';
import { specification } from '../support/decider.ts';

const hourMs = 3_600_000;

describe('A user', () => {
  const { given } = specification(user);
  const registered: UserEvent = {
    type: 'UserRegistered',
    data: { email: 'ada@example.org', displayName: 'Ada', passwordHash: 'old' },
  };
  const replaced: UserEvent = { type: 'UserPasswordReplaced', data: { passwordHash: 'new' } };
  const ended = (epoch: number, keptSessionId: string): UserEvent => ({
    type: 'UserSessionsEnded',
    data: { epoch, keptSessionId },
  });

  test('who changes the password ends every session but the one that asks', () => {
    given([registered])
      .when({ type: 'ChangeUserPassword', data: { passwordHash: 'new', keepSessionId: 's1' } })
      .then([replaced, ended(1, 's1')]);
    const { state } = given([registered, replaced, ended(1, 's1')]);
    expect([
      isSessionCurrent(state, 's1', 0),
      isSessionCurrent(state, 's2', 0),
      isSessionCurrent(state, 's3', 1),
    ]).toEqual([true, false, true]);
  });

  test('whose password was made must change it, and has chosen it from then on', () => {
    const data = { passwordHash: 'made', keepSessionId: '', initialUntil: 5 };
    const made: UserEvent = { type: 'UserPasswordReplaced', data: { passwordHash: 'made', initialUntil: 5 } };
    given([registered])
      .when({ type: 'ChangeUserPassword', data })
      .then([made, ended(1, '')]);
    expect(given([registered, made]).state).toMatchObject({ passwordHash: 'made', initialUntil: 5 });
    expect(given([registered, made, replaced]).state).toMatchObject({ passwordHash: 'new', initialUntil: 0 });
  });

  test('who ends them again ends the one that was kept, too', () => {
    const { state } = given([registered, ended(1, 's1'), ended(2, '')]);
    expect([isSessionCurrent(state, 's1', 0), isSessionCurrent(state, 's3', 1)]).toEqual([false, false]);
  });

  test('ends sessions of the epoch that he saw, and none that began since', () => {
    given([registered])
      .when({ type: 'EndUserSessions', data: { epoch: 0, keepSessionId: 's1' } })
      .then([ended(1, 's1')]);
    given([registered, ended(1, '')])
      .when({ type: 'EndUserSessions', data: { epoch: 0, keepSessionId: 's1' } })
      .thenNothing();
  });

  test('gets a better hash of the password only while it is the one that was proved', () => {
    const rehash = { type: 'RehashUserPassword', data: { from: 'old', to: 'better' } } as const;
    given([registered])
      .when(rehash)
      .then([{ type: 'UserPasswordRehashed', data: { passwordHash: 'better' } }]);
    given([registered, replaced]).when(rehash).thenNothing();
  });

  test('who is not there has no password and no sessions', () => {
    given([])
      .when({ type: 'EndUserSessions', data: { epoch: 0, keepSessionId: '' } })
      .thenRejected('UserNotFound');
    given([])
      .when({ type: 'RehashUserPassword', data: { from: 'old', to: 'better' } })
      .thenRejected('UserNotFound');
  });
});

describe('A session', () => {
  const { given } = specification(session);
  const opened: SessionEvent = {
    type: 'SessionOpened',
    data: { userId: 'u1', tokenDigest: 'f00d', expiresAt: 100 * hourMs },
  };
  const use = (usedAt: number) => ({ type: 'RecordSessionUse', data: { usedAt } }) as const;
  const used = (usedAt: number): SessionEvent => ({ type: 'SessionUsed', data: { usedAt } });

  test('is noted to be used once an hour at most, and not after it was revoked', () => {
    given([opened])
      .when(use(5 * hourMs))
      .then([used(5 * hourMs)]);
    given([opened, used(5 * hourMs)])
      .when(use(6 * hourMs - 1))
      .thenNothing();
    given([opened, used(5 * hourMs)])
      .when(use(6 * hourMs))
      .then([used(6 * hourMs)]);
    given([opened, { type: 'SessionRevoked', data: {} }])
      .when(use(5 * hourMs))
      .thenNothing();
  });
});

describe('An API token', () => {
  const { given } = specification(apiToken);
  const data = {
    workspaceId: 'w1',
    name: 'ci',
    digest: 'f00d',
    role: 'MEMBER' as const,
    departmentId: '',
    expiresAt: 0,
  };
  const issued: ApiTokenEvent = { type: 'ApiTokenIssued', data };

  test('is noted to be used once an hour at most, whatever clocks say', () => {
    const use = (usedAt: number) => ({ type: 'RecordApiTokenUse', data: { usedAt } }) as const;
    const used: ApiTokenEvent = { type: 'ApiTokenUsed', data: { usedAt: 5 * hourMs } };
    given([issued])
      .when(use(5 * hourMs))
      .then([used]);
    for (const at of [5 * hourMs + 1, 2 * hourMs]) given([issued, used]).when(use(at)).thenNothing();
    given([])
      .when(use(5 * hourMs))
      .thenNothing();
  });
});
