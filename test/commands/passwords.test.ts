import { randomBytes, randomUUID, scryptSync } from 'node:crypto';
import { hash as argon2 } from '@node-rs/argon2';
import { describe, expect, test } from 'vitest';
import { createAggregates } from '../../src/commands/aggregates.ts';
import { commonPasswordCount, isCommonPassword } from '../../src/commands/commonPasswords.ts';
import type { Envelope } from '../../src/commands/envelope.ts';
import { importUser, resetPassword } from '../../src/commands/operatorUsers.ts';
import { initialPasswordMs, objectionTo } from '../../src/commands/passwordRules.ts';
import { openSession } from '../../src/commands/session.ts';
import { createPasswords } from '../../src/platform/password/argon2.ts';
import { parseArgon2 } from '../../src/platform/password/argon2Hash.ts';
import { parseScrypt } from '../../src/platform/password/scrypt.ts';
import { createMemoryLog } from '../support/memoryLog.ts';

const password = 'a password from elsewhere';
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '');
const scryptHash = (ln = 14, r = 8, p = 1): string => {
  const salt = randomBytes(16);
  const key = scryptSync(password, salt, 32, { N: 2 ** ln, r, p, maxmem: 256 * 1024 * 1024 });
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(key)}`;
};
const weakArgon2 = () => argon2(password, { memoryCost: 4_096, timeCost: 1, parallelism: 1 });

const envelope = (): Envelope => ({
  ...{ commandId: randomUUID(), commandDigest: '', actor: { kind: 'user', id: 'x' }, authMethod: 'none' },
  ...{ workspaceId: '', departmentId: '', requestId: '', correlationId: '', causationId: '' },
});

const given = () => {
  const log = createMemoryLog();
  let loads = 0;
  const counted: typeof log = {
    ...log,
    readStream: (...args) => {
      loads += 1;
      return log.readStream(...args);
    },
  };
  const aggregates = createAggregates({ log: counted, now: Date.now });
  const work: string[] = [];
  const imported = () => ({ ln: 14, r: 8, p: 1 });
  const passwords = createPasswords({ imported, onWork: (kind) => work.push(kind) });
  const secretKey = new Uint8Array(32);
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead };
  const travel = (ms: number) => {
    ahead += ms;
  };
  const signIn = (email: string, word: string) =>
    openSession({ aggregates, passwords, secretKey, clock }, { email, password: word }, '', envelope());
  const typesOfUsers = async () => {
    const types: string[] = [];
    for await (const event of log.readAll()) if (event.stream.startsWith('user-')) types.push(event.type);
    return types;
  };
  /** What a sign-in does, in order and number. */
  const workOf = async (email: string, word: string) => {
    work.length = 0;
    loads = 0;
    const { ok } = await signIn(email, word);
    return { ok, work: [...work], loads };
  };
  return { aggregates, passwords, secretKey, clock, travel, signIn, typesOfUsers, workOf };
};

describe('An imported password hash', () => {
  test.each([
    ['scrypt', async () => scryptHash()],
    ['a weaker argon2id', weakArgon2],
  ])('of %s lets its owner in, and is replaced at that sign-in', async (_kind, make) => {
    const { aggregates, signIn, typesOfUsers } = given();
    const email = 'ada@example.com';
    expect(await importUser({ aggregates }, { email, displayName: 'Ada', passwordHash: await make() })).toBe(
      'imported',
    );
    expect(await signIn(email, 'a wrong password')).toMatchObject({ ok: false });
    expect(await typesOfUsers()).toEqual(['UserRegistered']);
    expect(await signIn(email, password)).toMatchObject({ ok: true });
    expect(await typesOfUsers()).toEqual(['UserRegistered', 'UserPasswordRehashed']);
    expect(await signIn(email, password)).toMatchObject({ ok: true });
    expect(await typesOfUsers()).toEqual(['UserRegistered', 'UserPasswordRehashed']);
  });

  test('is imported once, and never over an account that is here', async () => {
    const { aggregates, signIn } = given();
    const user = { email: 'ada@example.com', displayName: 'Ada', passwordHash: scryptHash() };
    expect(await importUser({ aggregates }, user)).toBe('imported');
    expect(await importUser({ aggregates }, { ...user, passwordHash: scryptHash() })).toBe('present');
    expect(await signIn(user.email, password)).toMatchObject({ ok: true });
  });

  test.each([
    '$scrypt$ln=18,r=8,p=1$c2FsdHNhbHRzYWx0$c2FsdHNhbHRzYWx0c2FsdHNhbHRzYWx0',
    '$scrypt$ln=17,r=16,p=1$c2FsdHNhbHRzYWx0$c2FsdHNhbHRzYWx0c2FsdHNhbHRzYWx0',
    '$scrypt$ln=17,r=8,p=2$c2FsdHNhbHRzYWx0$c2FsdHNhbHRzYWx0c2FsdHNhbHRzYWx0',
    '$scrypt$ln=1,r=8,p=1$c2FsdHNhbHRzYWx0$c2FsdHNhbHRzYWx0c2FsdHNhbHRzYWx0',
    '$scrypt$ln=14,r=8,p=1$c2Fsd$c2FsdHNhbHRzYWx0c2FsdHNhbHRzYWx0',
    '$scrypt$ln=14,r=8,p=1$c2FsdHNhbHRzYWx0$c2FsdHNhbH',
    '$scrypt$ln=14,r=8,p=1$c2FsdHNhbHRzYWx0$c2FsdHNhbHRzYWx0c2FsdHNhbHRzYWx0\n',
    '$argon2id$v=19$m=999999,t=2,p=1$c2FsdHNhbHRzYWx0$c2FsdHNhbHRzYWx0c2FsdHNhbHRzYWx0',
    '$argon2id$v=19$m=4096,t=99,p=1$c2FsdHNhbHRzYWx0$c2FsdHNhbHRzYWx0c2FsdHNhbHRzYWx0',
    '$2b$12$abcdefghijklmnopqrstuv',
    'a password in the clear',
    '',
  ])('that asks for too much, too little, or is none is not taken: %s', (text) => {
    expect([parseScrypt(text), parseArgon2(text)]).toEqual([undefined, undefined]);
  });
});

describe('Signing in', () => {
  test('is the same work for an unknown address, a wrong password, and one that was imported', async () => {
    const { aggregates, passwords, workOf } = given();
    const make = async (email: string, passwordHash: string) =>
      importUser({ aggregates }, { email, displayName: 'X', passwordHash });
    await make('modern@example.com', await passwords.hash(password));
    await make('imported@example.com', scryptHash());
    await workOf('nobody@example.com', 'a guess');
    const unknown = await workOf('nobody@example.com', 'a guess');
    expect(unknown).toMatchObject({ ok: false, work: ['argon2', 'scrypt'] });
    expect(await workOf('modern@example.com', 'a guess')).toEqual(unknown);
    expect(await workOf('imported@example.com', 'a guess')).toEqual(unknown);
  });

  test('costs nothing more where nothing was imported', async () => {
    const work: string[] = [];
    const passwords = createPasswords({ onWork: (kind) => work.push(kind) });
    await passwords.verify(undefined, password);
    await passwords.verify(await passwords.hash(password), password);
    expect(work).toEqual(['argon2', 'argon2']);
  });
});

describe('A password that was reset', () => {
  test('is the only one then, for a day, and every session is over', async () => {
    const { aggregates, passwords, secretKey, clock, travel, signIn } = given();
    const email = 'ada@example.com';
    await importUser({ aggregates }, { email, displayName: 'Ada', passwordHash: await passwords.hash(password) });
    expect(
      await resetPassword({ aggregates, passwords, secretKey, clock }, 'nobody@example.com', 'c1'),
    ).toBeUndefined();
    const reset = await resetPassword({ aggregates, passwords, secretKey, clock }, email, randomUUID());
    const { state } = await aggregates.user.load(reset?.userId ?? '');
    expect(state).toMatchObject({ sessionEpoch: 1, keptSessionId: '' });
    expect(await signIn(email, password)).toMatchObject({ ok: false });
    expect(await signIn(email, reset?.password ?? '')).toMatchObject({ ok: true, value: { mustChangePassword: true } });
    travel(initialPasswordMs);
    expect(await signIn(email, 'a guess')).toMatchObject({ rejection: { rejected: 'CredentialsInvalid' } });
    expect(await signIn(email, reset?.password ?? '')).toMatchObject({ rejection: { rejected: 'PasswordExpired' } });
  });
});

describe('Nobody chooses a password that', () => {
  test.each([
    'ada.lovelace@example.com',
    'ADA.LOVELACE',
    'ada.lovelace123',
    'Password1234',
    'aaaaaaaaaaaa',
    '121212121212',
    'administrator1',
  ])('everybody tries first: %s', (text) => {
    expect(objectionTo(text, 'ada.lovelace@example.com')).toEqual(expect.any(String));
  });

  test.each(['four ordinary words here', 'ëïöü čřž ŝĉĥ', '  spaces around it  ', 'correct horse battery'])(
    'and any other that is long enough is fine: %s',
    (text) => {
      expect(objectionTo(text, 'ada.lovelace@example.com')).toBeUndefined();
    },
  );
});

describe('The most common passwords of 12 characters or more', () => {
  test('are known, well over the 3,000 that a list must have', () => {
    expect(commonPasswordCount()).toBe(10_000);
  });

  test.each([
    ['the first of the list', '123qweasdzxc'],
    ['the three thousandth', 'eveningcucumber'],
    ['the last', 'dthjybrf2005'],
    ['one in capitals', 'QWERTYUIOP123'],
    ['one that the list has in capitals', 'mailcreated5240'],
  ])('are refused, whatever their case: %s', (_which, text) => {
    expect(isCommonPassword(text)).toBe(true);
    expect(objectionTo(text, 'ada@example.com')).toEqual(expect.any(String));
  });

  test('are these alone', () => {
    const longer = Array.from({ length: 1_000 }, (_, index) => `123qweasdzxc and ${index} more`);
    expect(longer.filter((text) => objectionTo(text, 'ada@example.com') !== undefined)).toEqual([]);
  });
});
