import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queries } from '../../src/projections/queries.ts';
import { type ApiWorld, aCompany, type Company, startApi } from '../support/api.ts';
import { closed, open, statusesIn } from './raw.ts';

let world: ApiWorld;
let company: Company;
beforeAll(async () => {
  world = await startApi();
  company = await aCompany(world);
});
afterAll(() => world.stop());

const get = (path: string): string =>
  `GET ${company.base}/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${company.token}\r\n\r\n`;

/** What has come over it so far. */
const listenTo = (socket: Socket): (() => string) => {
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  return () => text;
};

const rest = { running: 0, waiting: 0 };

describe('Requests that a client sends ahead on one connection', () => {
  /** A door whose lists of departments wait to be let through. */
  const gated = async () => {
    let openGate = (): void => {};
    const opened = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    let arrived = 0;
    const aroundQueries = (queries: Queries): Queries => ({
      ...queries,
      departments: async (args) => {
        arrived += 1;
        await opened;
        return queries.departments(args);
      },
    });
    const door = await world.behind({ aroundQueries });
    return { door, openGate, arrived: () => arrived };
  };

  test('are begun one by one, and answered in their order', async () => {
    const { door, openGate, arrived } = await gated();
    const socket = await open(door.url);
    const heard = listenTo(socket);
    socket.write(get('departments').repeat(5) + get('nothing'));
    await expect.poll(arrived).toBe(1);
    expect((await door.ask('GET', company.base, { token: company.token })).status).toBe(200);
    expect([arrived(), door.load().turns[0]]).toEqual([1, { kind: 'requests', running: 1, waiting: 0 }]);
    openGate();
    await expect.poll(() => statusesIn(heard())).toEqual([200, 200, 200, 200, 200, 404]);
    socket.destroy();
    await door.stop();
  });

  test('are not begun once the client is gone', async () => {
    const { door, openGate, arrived } = await gated();
    const socket = await open(door.url);
    socket.write(get('departments').repeat(5));
    await expect.poll(arrived).toBe(1);
    socket.destroy();
    await expect.poll(() => door.connections()).toBe(0);
    openGate();
    await expect.poll(() => door.load().turns[0]).toMatchObject(rest);
    expect((await door.ask('GET', company.base, { token: company.token })).status).toBe(200);
    expect(arrived()).toBe(1);
    await door.stop();
  });

  test('cost the connection when they are too many, and others are served', async () => {
    const { door, openGate } = await gated();
    const socket = await open(door.url);
    socket.write(get('departments').repeat(100));
    await closed(socket);
    openGate();
    await expect.poll(() => door.load().turns[0]).toMatchObject(rest);
    expect((await door.ask('GET', company.base, { token: company.token })).status).toBe(200);
    await door.stop();
  });

  test('open one stream, whose slot comes back with the end of the connection', async () => {
    const door = await world.behind({});
    const socket = await open(door.url);
    const heard = listenTo(socket);
    socket.write(get('events/stream').repeat(5));
    await expect.poll(heard).toContain('event: open');
    expect((await door.ask('GET', company.base, { token: company.token })).status).toBe(200);
    expect(door.load().streams).toBe(1);
    socket.destroy();
    await expect.poll(() => door.load().streams).toBe(0);
    await door.stop();
  });
});
