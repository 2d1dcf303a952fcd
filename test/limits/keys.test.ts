import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ApiWorld,
  aCompany,
  aLiveWorker,
  aMember,
  anInvitation,
  type Company,
  problemOf,
  startApi,
} from '../support/api.ts';

// Commands whose stream follows from their body: the same key with another body comes to a stream that never saw it.
let world: ApiWorld;
/** Another process of the same installation: only the log and the key are shared. */
let elsewhere: ApiWorld;
let company: Company;
let things: readonly string[];
beforeAll(async () => {
  world = await startApi();
  elsewhere = await world.behind({ aroundLog: (log) => log });
  company = await aCompany(world);
  await aLiveWorker(world, company);
  const made = [];
  for (const name of ['One', 'Two', 'Three']) {
    const created = await world.ask('POST', `${company.base}/resources`, {
      token: company.token,
      body: { name, kind: 'rack' },
    });
    made.push(String(Object(created.body).id));
  }
  things = made;
});
afterAll(async () => {
  await elsewhere.stop();
  await world.stop();
});

const routes: readonly [string, () => string, (name: number) => object][] = [
  ['a host name', () => `${company.worker}/domains`, (name) => ({ hostname: `www${name}.example.com` })],
  [
    'a relation',
    () => `${company.base}/resource-relations`,
    (name) => ({ sourceId: things[0], type: 'depends_on', targetId: things[name] }),
  ],
];

describe.each(routes)('The idempotency key of %s', (what, path, body) => {
  const ask = (door: ApiWorld, name: number, key: string, more: Readonly<Record<string, string>> = {}) =>
    door.ask('POST', path(), {
      token: company.token,
      body: body(name),
      headers: { 'idempotency-key': `${what} ${key}`.replaceAll(' ', '-'), ...more },
    });

  test('with another body is refused, in another process as well, and nothing is appended', async () => {
    const first = await ask(world, 1, 'reused');
    expect(first.status).toBeLessThan(300);
    const before = await world.holdings();
    for (const door of [world, elsewhere]) {
      expect(problemOf(await ask(door, 2, 'reused'))).toMatchObject({ title: 'IdempotencyKeyReused', status: 422 });
    }
    expect(await world.holdings()).toEqual(before);
    expect((await ask(elsewhere, 1, 'reused')).body).toEqual(first.body);
    expect(await world.holdings()).toEqual(before);
  });

  test('is not taken by a dry run, which is refused like the command itself would be', async () => {
    const before = await world.holdings();
    expect((await ask(world, 2, 'dry', { prefer: 'dry-run' })).status).toBe(200);
    expect(await world.holdings()).toEqual(before);
    expect((await ask(world, 2, 'dry')).status).toBeLessThan(300);
    expect(problemOf(await ask(world, 1, 'dry', { prefer: 'dry-run' })).title).toBe('IdempotencyKeyReused');
  });

  test('is free again when its request was refused', async () => {
    const refused = await world.ask('POST', path(), {
      token: company.token,
      body:
        what === 'a relation'
          ? { sourceId: things[0], type: 'depends_on', targetId: things[0] }
          : { hostname: 'localhost' },
      headers: { 'idempotency-key': `${what}-refused`.replaceAll(' ', '-') },
    });
    expect(refused.status).toBe(422);
    expect((await ask(world, 1, 'refused')).status).toBeLessThan(300);
  });
});

describe('The idempotency key of accepting an invitation', () => {
  test('opens no other invitation, neither of the same workspace nor of another, and leaves it usable', async () => {
    const home = await aCompany(world);
    const [first, second] = [await aCompany(world), await aCompany(world)];
    const { token, email, userId } = await aMember(world, home, { role: 'VIEWER' });
    const invited = (to: Company) => anInvitation(world, to, { email, role: 'VIEWER' });
    const accept = (invitation: string, key: string, door = world) =>
      door.ask('POST', '/auth/invitations/accept', {
        token,
        body: { token: invitation },
        headers: { 'idempotency-key': key },
      });
    const one = await invited(first);
    const joined = await accept(one.token, 'join-1');
    expect(joined.status).toBe(200);
    const before = await world.holdings();
    expect((await accept(one.token, 'join-1', elsewhere)).body).toEqual(joined.body);
    expect(await world.holdings()).toEqual(before);

    await world.ask('DELETE', `${first.base}/members/${userId}`, { token: first.token });
    for (const invitation of [await invited(first), await invited(second)]) {
      const held = await world.holdings();
      for (const door of [world, elsewhere]) {
        expect(problemOf(await accept(invitation.token, 'join-1', door)).title).toBe('IdempotencyKeyReused');
      }
      expect(await world.holdings()).toEqual(held);
      expect((await accept(invitation.token, `${invitation.id}-1`)).status).toBe(200);
    }
  });
});
