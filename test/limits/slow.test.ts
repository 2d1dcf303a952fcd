import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiWorld, aCompany, type Company, startApi } from '../support/api.ts';
import { closed, open, statusesIn } from './raw.ts';

let world: ApiWorld;
let company: Company;
beforeAll(async () => {
  world = await startApi();
  company = await aCompany(world);
});
afterAll(() => world.stop());

const quick = { headersMs: 300, requestMs: 600, idleMs: 500, lookMs: 50 };

const headOf = (framing: string): string =>
  `POST ${company.base}/departments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${company.token}\r\n` +
  `Content-Type: application/json\r\n${framing}\r\n\r\n`;

/** Everything that comes until the connection ends. */
const heard = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(text));
  });

/** Sends the same bytes again and again until the connection ends. */
const drip = (socket: Socket, bytes: string): void => {
  const timer = setInterval(() => socket.write(bytes), 20);
  socket.once('close', () => clearInterval(timer));
};

const isServedBy = async (door: ApiWorld): Promise<void> => {
  expect((await door.ask('GET', company.base, { token: company.token })).status).toBe(200);
};

const nothingIsLeft = async (door: ApiWorld): Promise<void> => {
  await expect.poll(() => door.load()).toMatchObject({ bodyBytes: 0, streams: 0, heldAnswers: 0 });
  expect(door.load().turns.every(({ running, waiting }) => running + waiting === 0)).toBe(true);
  // One may be kept open by the client that was served.
  await expect.poll(() => door.connections()).toBeLessThanOrEqual(1);
};

describe('Many clients at once that', () => {
  test.each<[string, () => string, string]>([
    ['send headers bit by bit', () => 'GET /auth/me HTTP/1.1\r\nHost: x\r\n', 'X: y\r\n'],
    ['send a body bit by bit', () => headOf('Content-Length: 100000'), ' '],
    ['send chunks without end, one byte each', () => headOf('Transfer-Encoding: chunked'), '1\r\n \r\n'],
    ['say nothing after the head', () => headOf('Content-Length: 10'), ''],
  ])('%s are told so in time, others are served meanwhile, and nothing is left', async (_what, head, bytes) => {
    const door = await world.behind({ server: quick });
    const sockets = await Promise.all(Array.from({ length: 40 }, () => open(door.url)));
    const answers = sockets.map(heard);
    for (const socket of sockets) {
      socket.write(head());
      if (bytes !== '') drip(socket, bytes);
    }
    await isServedBy(door);
    for (const answered of await Promise.all(answers)) {
      expect(statusesIn(answered).filter((status) => status !== 408)).toEqual([]);
    }
    await nothingIsLeft(door);
    await isServedBy(door);
    await door.stop();
  });

  test('open a connection and say nothing are cut', async () => {
    const door = await world.behind({ server: quick });
    const sockets = await Promise.all(Array.from({ length: 40 }, () => open(door.url)));
    await Promise.all(sockets.map(closed));
    await nothingIsLeft(door);
    await door.stop();
  });
});

describe('A client that takes no answer', () => {
  const unread = async (door: ApiWorld, path: string, times: number): Promise<Socket> => {
    const socket = await open(door.url);
    socket.pause();
    socket.on('error', () => {});
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${company.token}\r\n\r\n`.repeat(times));
    return socket;
  };

  test('is cut, whatever piles up for it, and others are served meanwhile', async () => {
    const door = await world.behind({ server: quick });
    const sockets = await Promise.all(Array.from({ length: 10 }, () => unread(door, '/openapi.json', 20)));
    await isServedBy(door);
    await expect.poll(() => door.connections(), { timeout: 10_000 }).toBeLessThanOrEqual(1);
    for (const socket of sockets) socket.destroy();
    await nothingIsLeft(door);
    await door.stop();
  });

  test('of a stream gives its slot back when it is cut', async () => {
    const door = await world.behind({ server: quick });
    const sockets = await Promise.all(
      Array.from({ length: 5 }, () => unread(door, `${company.base}/events/stream`, 1)),
    );
    await expect.poll(() => door.load().streams).toBe(5);
    await isServedBy(door);
    await expect.poll(() => door.load().streams, { timeout: 10_000 }).toBe(0);
    for (const socket of sockets) socket.destroy();
    await nothingIsLeft(door);
    await door.stop();
  });
});

describe('Connections of one address', () => {
  test('are cut beyond its share, and count no longer once they end', async () => {
    const door = await world.behind({ server: { connectionsPerAddress: 3 } });
    const three = await Promise.all([1, 2, 3].map(() => open(door.url)));
    const beyond = await open(door.url);
    await closed(beyond);
    expect(await door.connections()).toBe(3);
    for (const socket of three) socket.destroy();
    await expect.poll(() => door.connections()).toBe(0);
    await isServedBy(door);
    await door.stop();
  });

  test('are the proxy’s own where one is trusted, and are not counted', async () => {
    const door = await world.behind({ server: { connectionsPerAddress: 1 }, trustForwarded: true });
    const sockets = await Promise.all([1, 2, 3].map(() => open(door.url)));
    await isServedBy(door);
    for (const socket of sockets) socket.destroy();
    await door.stop();
  });
});

describe('A stream that could not begin', () => {
  test('holds no slot', async () => {
    const door = await world.behind({
      aroundQueries: (queries) => ({
        ...queries,
        graphPosition: () => Promise.reject(new Error('broken')),
        auditHead: () => Promise.reject(new Error('broken')),
        feedEnd: () => Promise.reject(new Error('broken')),
      }),
    });
    for (const path of ['resource-graph', 'audit/export', 'events/stream']) {
      expect((await door.ask('GET', `${company.base}/${path}`, { token: company.token })).status).toBe(500);
    }
    expect(door.load().streams).toBe(0);
    await door.stop();
  });
});
