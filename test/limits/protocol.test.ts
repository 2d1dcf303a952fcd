import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiWorld, aCompany, type Company, startApi } from '../support/api.ts';
import { sendRaw, statusesIn } from './raw.ts';

let world: ApiWorld;
let company: Company;
beforeAll(async () => {
  world = await startApi();
  company = await aCompany(world);
});
afterAll(() => world.stop());

const json = '{"name":"Smuggled","slug":"smuggled"}';

/** A command, with framing of one's own. */
const post = (framing: string, body: string): string =>
  `POST ${company.base}/departments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${company.token}\r\n` +
  `Content-Type: application/json\r\n${framing}\r\n${body}`;
const chunked = `${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`;
/** What a front that saw the frame elsewhere would have let through. */
const hidden = () =>
  `POST ${company.base}/departments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${company.token}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${json.length}\r\nConnection: close\r\n\r\n${json}`;

const serves = async (): Promise<void> => {
  expect((await world.ask('GET', company.base, { token: company.token })).status).toBe(200);
};

describe('A request whose end can be read in two ways', () => {
  test.each<[string, string, string]>([
    ['length and chunks', `Content-Length: ${json.length}\r\nTransfer-Encoding: chunked\r\n`, chunked],
    ['chunks and length', `Transfer-Encoding: chunked\r\nContent-Length: 3\r\n`, chunked],
    ['two lengths', `Content-Length: ${json.length}\r\nContent-Length: 3\r\n`, json],
    ['the same length twice', `Content-Length: ${json.length}\r\nContent-Length: ${json.length}\r\n`, json],
    ['a list of lengths', `Content-Length: ${json.length}, ${json.length}\r\n`, json],
    ['a signed length', `Content-Length: +${json.length}\r\n`, json],
    ['a negative length', 'Content-Length: -1\r\n', json],
    ['a length in hexadecimal', `Content-Length: 0x${json.length.toString(16)}\r\n`, json],
    ['a length that overflows', 'Content-Length: 18446744073709551617\r\n', json],
    ['a space before the colon', `Content-Length : ${json.length}\r\n`, json],
    ['chunks by a space before the colon', 'Transfer-Encoding : chunked\r\n', chunked],
    ['an encoding that only begins with chunked', 'Transfer-Encoding: chunkedx\r\n', chunked],
    ['an encoding that only ends with chunked', 'Transfer-Encoding: xchunked\r\n', chunked],
    ['chunked that is not last', 'Transfer-Encoding: chunked, identity\r\n', chunked],
    ['a header that goes on in the next line', 'Transfer-Encoding:\r\n chunked\r\nContent-Length: 3\r\n', chunked],
    ['a NUL in a header', `X: a\0b\r\nContent-Length: ${json.length}\r\n`, json],
    ['a carriage return in a header', `X: a\rContent-Length: 0\r\nContent-Length: ${json.length}\r\n`, json],
    ['a chunk whose size is no number', 'Transfer-Encoding: chunked\r\n', `zz\r\n${json}\r\n0\r\n\r\n`],
    ['a chunk whose size overflows', 'Transfer-Encoding: chunked\r\n', `ffffffffffffffffff\r\n${json}\r\n0\r\n\r\n`],
    ['a chunk that is longer than it says', 'Transfer-Encoding: chunked\r\n', `3\r\n${json}\r\n0\r\n\r\n`],
    [
      'a chunk with an endless extension',
      'Transfer-Encoding: chunked\r\n',
      `3;${'x'.repeat(40_000)}\r\n{} \r\n0\r\n\r\n`,
    ],
  ])('is refused, and nothing after it is read: %s', async (_what, framing, body) => {
    const before = await world.holdings();
    const answered = await sendRaw(world.url, post(framing, body) + hidden());
    expect(statusesIn(answered).filter((status) => status !== 400 && status !== 413)).toEqual([]);
    expect(statusesIn(answered).length).toBeLessThanOrEqual(1);
    expect(await world.holdings()).toEqual(before);
    await serves();
  });
});

describe('A line that ends with a line feed alone', () => {
  test('hides no second request', async () => {
    const before = await world.holdings();
    const answered = await sendRaw(
      world.url,
      `GET /health/live HTTP/1.1\nHost: x\nContent-Length: ${hidden().length}\nConnection: close\n\n${hidden()}`,
    );
    expect(statusesIn(answered).length).toBeLessThanOrEqual(1);
    expect(await world.holdings()).toEqual(before);
  });
});

describe('A body that is framed in the one way or the other', () => {
  test.each<[string, () => string]>([
    ['length', () => post(`Content-Length: ${json.length}\r\nConnection: close\r\nPrefer: dry-run\r\n`, json)],
    ['chunks', () => post('Transfer-Encoding: chunked\r\nConnection: close\r\nPrefer: dry-run\r\n', chunked)],
    [
      'chunks with short extensions and a trailer',
      () =>
        post(
          'Transfer-Encoding: chunked\r\nConnection: close\r\nPrefer: dry-run\r\n',
          `${json.length.toString(16)};a=b\r\n${json}\r\n0\r\nAuthorization: none\r\n\r\n`,
        ),
    ],
    [
      'after 100 Continue',
      () =>
        post(
          `Expect: 100-continue\r\nContent-Length: ${json.length}\r\nConnection: close\r\nPrefer: dry-run\r\n`,
          json,
        ),
    ],
  ])('is read: %s', async (_what, request) => {
    expect(statusesIn(await sendRaw(world.url, request())).filter((status) => status !== 100)).toEqual([200]);
  });
});

describe('Requests one after the other on one connection', () => {
  test('are answered in their order, each for itself', async () => {
    const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
    const answered = await sendRaw(
      world.url,
      get('/health/live') + get('/auth/me') + get('/nowhere') + get('/health/live', 'Connection: close\r\n'),
    );
    expect(statusesIn(answered)).toEqual([200, 401, 404, 200]);
  });

  test('ten thousand at once are cut off, and others are served', async () => {
    const answered = sendRaw(
      world.url,
      `${'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10_000)}GET / HTTP/1.0\r\n\r\n`,
    );
    await serves();
    // Whether those in front were answered by then is a matter of how the bytes arrived.
    expect(statusesIn(await answered).length).toBeLessThan(10_000);
  });
});

describe('What this server does not speak', () => {
  test.each<[string, string, readonly number[]]>([
    ['no host', 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n', [400]],
    ['HTTP/1.0, which needs none', 'GET /health/live HTTP/1.0\r\n\r\n', [200]],
    ['HTTP/2 without an agreement', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
    ['HTTP/3.7', 'GET /health/live HTTP/3.7\r\nHost: x\r\n\r\n', [400]],
    [
      'another protocol in its place',
      'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      [200],
    ],
    ['a tunnel', 'CONNECT inside.example:443 HTTP/1.1\r\nHost: inside.example:443\r\n\r\n', []],
    ['an echo', 'TRACE /workspaces HTTP/1.1\r\nHost: x\r\nX-Secret: 1\r\nConnection: close\r\n\r\n', [405]],
    ['a method of its own', 'BREW /workspaces HTTP/1.1\r\nHost: x\r\n\r\n', [400]],
    [
      'an expectation that is unknown',
      'GET /health/live HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n',
      [417],
    ],
    ['a target that is no path', 'GET nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', [400]],
  ])('%s', async (_what, request, statuses) => {
    const answered = await sendRaw(world.url, request);
    expect([...answered.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status))).toEqual(statuses);
    expect(answered).not.toContain('X-Secret');
    await serves();
  });
});

describe('Whatever was sent', () => {
  test('nothing of it is left', async () => {
    await expect.poll(() => world.load()).toMatchObject({ bodyBytes: 0, streams: 0, heldAnswers: 0 });
    expect(world.load().turns.every(({ running, waiting }) => running + waiting === 0)).toBe(true);
  });
});
