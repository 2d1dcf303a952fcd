import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { headers as natsHeaders } from 'nats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/platform/database/port.ts';
import { createTables } from '../../src/projections/engine/index.ts';
import type { ReadTables } from '../../src/projections/schema.ts';
import { tables } from '../../src/projections/tables.ts';
import { startApi } from '../support/api.ts';
import { createApiCanaries } from '../support/apiCanaries.ts';
import { isRecognisable, searchFor } from '../support/canaries.ts';
import { createMemoryLog } from '../support/memoryLog.ts';
import { onNats, type StoredMessage, startTestBus } from '../support/nats.ts';
import { embedded } from '../support/projection.ts';

let database: Database<ReadTables>;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ database, drop } = await (await embedded()).create<ReadTables>());
  await createTables(database, tables);
});
afterAll(() => drop());

/** With all that a form changes: a quote, a line break, spaces, signs that URLs escape, letters beyond ASCII. */
const aSecret = (): string => `pä "ss"\n+/&=? ${randomBytes(12).toString('base64')}`;

const user = async (name: string): Promise<void> => {
  const [id, email] = [randomUUID(), `${randomUUID()}@example.com`];
  await sql`insert into users values (${id}, ${email}, ${name}, '', now(), now())`.execute(database.session);
};

const exchange = (body: unknown, answer: unknown, status = 422) => ({
  ...{ operationId: 'openSession', token: undefined, body, status, headers: new Headers(), answer },
  text: JSON.stringify(answer),
});

type World = {
  readonly canaries: ReturnType<typeof createApiCanaries>;
  readonly log: ReturnType<typeof createMemoryLog>;
  readonly logged: string[];
  readonly messages: StoredMessage[];
  metrics: string;
};

const aMessage: StoredMessage = { subject: 'a', id: '', headers: '', body: '{}' };

const plants: Readonly<Record<string, (world: World, text: string) => Promise<unknown> | unknown>> = {
  'the data of an event': ({ log }, text) => log.add('a-1', 'Happened', { deep: [{ text }] }),
  'the metadata of an event': ({ log }, text) => log.add('a-1', 'Happened', {}, { text }),
  'the name of a stream': ({ log }, text) => log.add(`a-${text}`, 'Happened', {}),
  'a row of a read table': (_, text) => user(text),
  'a line that was logged': ({ logged }, text) => logged.push(`${JSON.stringify({ text })} Happened.`),
  'a problem document': ({ canaries }, text) => canaries.note(exchange({}, { detail: text })),
  'the subject of a message': ({ messages }, subject) => messages.push({ ...aMessage, subject }),
  'a header of a message': ({ messages }, text) => messages.push({ ...aMessage, headers: `NATS/1.0\r\nA: ${text}` }),
  'the body of a message': ({ messages }, text) => messages.push({ ...aMessage, body: JSON.stringify({ text }) }),
  '/metrics': (world, text) => {
    world.metrics = `requests{route=${JSON.stringify(text)}} 1`;
  },
};

const forms: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'as JSON in a text': (secret) => JSON.stringify({ secret }),
  'URL-encoded': encodeURIComponent,
  'as a form encodes it': (secret) => new URLSearchParams({ secret }).toString(),
  'as hexadecimal digits': (secret) => Buffer.from(secret).toString('hex'),
  'as base64': (secret) => Buffer.from(secret).toString('base64'),
  'as base64 after a name, as Basic has it': (secret) => Buffer.from(`a:${secret}`).toString('base64'),
  'as base64 after a longer name, within more': (secret) => Buffer.from(`ab:${secret}, and so on`).toString('base64'),
  'as base64url without padding': (secret) => Buffer.from(`x${secret}`).toString('base64url'),
};

const aWorld = (): World => ({
  ...{ canaries: createApiCanaries(), log: createMemoryLog(), logged: [], messages: [], metrics: '' },
});

const check = ({ canaries, log, logged, messages, metrics }: World) =>
  canaries.check({ log, database, logged, metrics: async () => metrics, messages: async () => messages });

describe('A secret that was sent is found', () => {
  const cases = Object.keys(plants).flatMap((place) => Object.keys(forms).map((form) => [place, form] as const));
  test.each(cases)('in %s, %s', async (place, form) => {
    const world = aWorld();
    const secret = aSecret();
    world.canaries.note(exchange({ email: 'a@example.com', password: secret }, {}));
    await check(world);
    await plants[place]?.(world, forms[form]?.(secret) ?? '');
    const told = await check(world).then(
      () => 'nothing',
      (error: unknown) => String(error),
    );
    expect(told).toContain('sent to openSession');
    expect(told).not.toContain(secret.slice(-12));
    await sql`delete from users`.execute(database.session);
  });
});

test('A secret that an answer tells once is found anywhere else, and may be in its own field', async () => {
  const world = aWorld();
  const token = `ops_${randomBytes(20).toString('hex')}`;
  const answer = { id: '1', userId: '2', token, expiresAt: '' };
  world.canaries.note(exchange({}, answer, 201));
  await check(world);
  world.canaries.note(exchange({}, { ...answer, userId: token }, 201));
  await expect(check(world)).rejects.toThrow('an answer of openSession 201: told by openSession');
});

test('A line of a key is found with other line ends', () => {
  const lines = Array.from({ length: 3 }, () => randomBytes(48).toString('base64'));
  const key = ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
  const search = searchFor(new Map([[key, 'a key']]));
  expect(search('x', key.replaceAll('\n', '\r\n'))).not.toEqual([]);
  expect(search('x', `half of it: ${lines[1]}`)).toHaveLength(1);
  expect(search('x', '-----BEGIN PRIVATE KEY-----')).toEqual([]);
});

test('All are found where many are looked for, wherever they are and however they follow each other', () => {
  const secrets = Array.from({ length: 300 }, () => `op-${randomBytes(8).toString('hex')}`);
  const search = searchFor(new Map(secrets.map((secret) => [secret, secret])));
  expect(search('x', secrets.join(''))).toHaveLength(300);
  expect(search('x', secrets.map((secret) => secret.slice(0, -1)).join(' '))).toEqual([]);
});

test('A word that may be anywhere is none', () => {
  expect(['short1', 'constructor', 'a'.repeat(40), 'index.ts'].filter(isRecognisable)).toEqual([]);
  expect(['pw-1234abc', 'correct horse battery', 'ünïcödé-1'].filter(isRecognisable)).toHaveLength(3);
});

test('A world of the API does not stop quietly when a token is in its log', async () => {
  const world = await startApi();
  const token = await world.signIn();
  const event = { id: randomUUID(), type: 'Happened', data: {}, metadata: { authorization: token } };
  await world.log.append(`elsewhere-${randomUUID()}`, [event], 'noStream');
  await expect(world.stop()).rejects.toThrow(/Happened in elsewhere: told by openSession/);
});

await onNats('A world of the API', () => {
  test('does not stop quietly when a secret is in a message that is stored, and its stream goes with it', async () => {
    const bus = await startTestBus();
    const world = await startApi({ bus });
    await world.signIn();
    await world.published();
    const note = { aside: world.administrator.password };
    const headers = natsHeaders();
    headers.set('Aside', Buffer.from(note.aside).toString('hex'));
    await bus.connection.jetstream().publish(`${bus.prefix}.platform.user.Aside`, JSON.stringify(note), { headers });
    const stopping = world.stop();
    await expect(stopping).rejects.toThrow('the body of a message: the password of the administrator, ');
    await expect(stopping).rejects.toThrow('a header of a message: the password of the administrator, ');
    const after = await startTestBus();
    await expect(after.manager.streams.info(bus.stream)).rejects.toThrow('stream not found');
    await after.stop();
  });
});
