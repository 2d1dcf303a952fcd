import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../src/platform/edge/workerd/index.ts';
import { scriptOfHost } from '../../../src/platform/edge/workerd/router.ts';
import { answering, call, deploy, newScriptName, openNode, revisionOf, type TestNode, until } from './support.ts';

const serve = async (source: string, node?: TestNode) => {
  const opened = node ?? (await openNode());
  const script = newScriptName();
  expect(await deploy(opened.provider, await revisionOf(opened, script, 1, source))).toMatchObject({ outcome: 'done' });
  return { node: opened, provider: opened.provider, script };
};

const echoHeaders = `export default { fetch(request) {
  return Response.json({ url: request.url, headers: [...request.headers] }, { headers: [
    ['Set-Cookie', 'a=1'], ['Set-Cookie', 'b=2'], ['X-Opslog-Secret', 'internal'], ['Keep-Alive', 'timeout=9'],
  ] });
} };`;

/** Bytes as they are, for what a well-behaved client cannot send. */
const raw = (url: string, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });

describe('the front router', () => {
  it('answers 404 with a problem document at a host where no worker is', async () => {
    const { provider, script } = await serve(answering('hello'));
    for (const host of [
      `${newScriptName()}.localhost`,
      'localhost',
      `${script}.example.com`,
      `x.${script}.localhost`,
    ]) {
      const answer = await call(provider, script, '/', { host });
      expect(answer).toMatchObject({ status: 404, headers: { 'content-type': 'application/problem+json' } });
      expect(JSON.parse(answer.body)).toMatchObject({ title: 'WorkerUnknown', status: 404 });
    }
  });

  it('takes a host name in any case, with any port and with a final dot', () => {
    expect(scriptOfHost('DW-1.LocalHost:8080', 'localhost')).toBe('dw-1');
    expect(scriptOfHost('dw-1.localhost.', 'localhost')).toBe('dw-1');
    expect(scriptOfHost('dw-1.edge.example.com', 'edge.example.com')).toBe('dw-1');
    expect(scriptOfHost(undefined, 'localhost')).toBeUndefined();
    expect(scriptOfHost('[::1]:80', 'localhost')).toBeUndefined();
  });

  it('answers 503 while a worker is paused and the worker itself once it is resumed', async () => {
    const { provider, script } = await serve(answering('hello'));
    await provider.setPaused(script, true);
    await provider.setPaused(script, true);
    const paused = await call(provider, script);
    expect(paused).toMatchObject({ status: 503, headers: { 'content-type': 'application/problem+json' } });
    expect(paused.headers['retry-after']).toBe('60');
    expect(JSON.parse(paused.body)).toMatchObject({ title: 'WorkerPaused' });
    expect(provider.running()).toMatchObject([{ state: 'paused' }]);
    await provider.setPaused(script, false);
    expect(await call(provider, script)).toMatchObject({ status: 200, body: 'hello' });
  });

  it('keeps a worker off the air that was paused before it ever ran, through its deployment', async () => {
    const node = await openNode();
    const script = newScriptName();
    await node.provider.setPaused(script, true);
    expect(await call(node.provider, script)).toMatchObject({ status: 503 });
    const spec = await revisionOf(node, script, 1, answering('hello'));
    expect(await deploy(node.provider, spec)).toMatchObject({ outcome: 'done' });
    expect(await call(node.provider, script)).toMatchObject({ status: 503 });
    await node.provider.setPaused(script, false);
    expect(await call(node.provider, script)).toMatchObject({ status: 200 });
  });

  it('tells the worker who called and keeps what is of this hop or of the platform from it', async () => {
    const { provider, script } = await serve(echoHeaders);
    const answer = await call(provider, script, '/path?q=1', {
      headers: {
        'X-Forwarded-For': '1.2.3.4',
        'X-Forwarded-Proto': 'https',
        'CF-Connecting-IP': '1.2.3.4',
        'X-Opslog-Verify': 'guess',
        Connection: 'X-Hop, keep-alive',
        'X-Hop': 'hop',
        'X-Own': ['one', 'two'],
      },
    });
    const seen: { url: string; headers: [string, string][] } = JSON.parse(answer.body);
    const headers = new Map(seen.headers);
    expect(seen.url).toBe(`${provider.url(script)}/path?q=1`);
    expect(headers.get('x-forwarded-for')).toBe('127.0.0.1');
    expect(headers.get('x-forwarded-proto')).toBe('http');
    expect(headers.get('x-forwarded-host')).toBe(new URL(provider.url(script)).host);
    expect(headers.get('cf-connecting-ip')).toBe('127.0.0.1');
    expect(headers.get('x-own')).toBe('one, two');
    expect(headers.has('x-hop')).toBe(false);
    expect([...headers.keys()].filter((name) => name.startsWith('x-opslog'))).toEqual([]);
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(answer.headers['x-opslog-secret']).toBeUndefined();
    expect(answer.headers['keep-alive']).not.toBe('timeout=9');
  });

  it('takes the word of a trusted proxy for who called', async () => {
    const node = await openNode({ trustForwarded: true });
    const { provider, script } = await serve(echoHeaders, node);
    const answer = await call(provider, script, '/', {
      headers: { 'X-Forwarded-For': '6.6.6.6, 1.2.3.4', 'X-Forwarded-Proto': 'https' },
    });
    const seen: { url: string; headers: [string, string][] } = JSON.parse(answer.body);
    expect(new Map(seen.headers).get('x-forwarded-for')).toBe('1.2.3.4');
    expect(seen.url.startsWith('https://')).toBe(true);
  });

  it('refuses what names two hosts or no path, rather than let a worker guess', async () => {
    const { provider, script } = await serve(answering('hello'));
    const { host } = new URL(provider.url(script));
    const end = 'Connection: close\r\n\r\n';
    for (const request of [
      `GET / HTTP/1.1\r\nHost: ${host}\r\nHost: other.localhost\r\n${end}`,
      `OPTIONS * HTTP/1.1\r\nHost: ${host}\r\n${end}`,
      `POST / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ]) {
      const answer = await raw(provider.url(script), request);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('application/problem+json');
    }
  });

  it('passes the body on of a request that also offers another protocol', async () => {
    const { provider, script } = await serve(
      "export default { async fetch(r) { return new Response(r.method + ' ' + (await r.text())); } };",
    );
    const url = new URL(provider.url(script));
    const head = `POST / HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 9\r\n\r\n`;
    // One who goes away in the middle does no harm.
    const gone = connect(Number(url.port), '127.0.0.1', () => gone.write(`${head}fir`, () => gone.destroy()));
    await once(gone, 'close');
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(url.port), '127.0.0.1', () => socket.write(`${head}first`));
      const rest = setTimeout(() => socket.write('more'), 50);
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(text));
      socket.setTimeout(5_000, () => {
        clearTimeout(rest);
        socket.destroy();
      });
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('POST firstmore');
  });

  it('streams both ways without waiting for the end', async () => {
    const { provider, script } = await serve(
      'export default { fetch(request) { return new Response(request.body); } };',
    );
    const url = new URL(provider.url(script));
    const pieces: string[] = [];
    await new Promise<void>((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port: url.port, method: 'POST', headers: { Host: url.host } });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          pieces.push(piece);
          if (pieces.length < 3) outgoing.write(`piece ${pieces.length}`);
          else outgoing.end();
        });
        response.on('end', resolve);
      });
      outgoing.write('piece 0');
    });
    expect(pieces).toEqual(['piece 0', 'piece 1', 'piece 2']);
  });

  it.each([
    ['HEAD', 200, ''],
    ['DELETE', 200, 'DELETE 0'],
    ['PUT', 200, 'PUT 4'],
    ['GET', 200, 'GET 0'],
  ])('passes %s through with its body', async (method, status, body) => {
    const { provider, script } = await serve(
      'export default { async fetch(r) { return new Response(r.method + " " + (await r.text()).length); } };',
    );
    const sent = method === 'PUT' ? { body: 'body' } : {};
    expect(await call(provider, script, '/', { method, ...sent })).toMatchObject({ status, body });
  });

  it('cancels the work in the worker when the caller goes away', async () => {
    const { node, provider, script } = await serve(`export default { fetch() {
      let timer;
      return new Response(new ReadableStream({
        start(c) { timer = setInterval(() => c.enqueue(new TextEncoder().encode('tick')), 20); },
        cancel() { clearInterval(timer); console.log('cancelled'); },
      }));
    } };`);
    const url = new URL(provider.url(script));
    const outgoing = request({ host: '127.0.0.1', port: url.port, headers: { Host: url.host } });
    outgoing.on('error', () => {});
    outgoing.on('response', (response) => response.once('data', () => outgoing.destroy()));
    outgoing.end();
    await until('the worker hears of it', () => node.lines.some(({ message }) => message === 'cancelled'));
  });

  it('breaks the answer off when the worker breaks it off', async () => {
    const { provider, script } = await serve(`export default { fetch() {
      let count = 0;
      return new Response(new ReadableStream({ pull(c) {
        if (count++ > 3) throw new Error('broken'); c.enqueue(new TextEncoder().encode('part'));
      } }));
    } };`);
    await expect(call(provider, script)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
  });

  it('lets an answer stand that came before the whole body was read, and keeps serving', async () => {
    const { provider, script } = await serve(
      'export default { fetch() { return new Response("no", { status: 401 }); } };',
    );
    const agent = new Agent({ keepAlive: true });
    for (let round = 0; round < 20; round += 1) {
      const sent = { method: 'POST', body: Buffer.alloc(2 * 1024 * 1024), agent };
      const answers = await Promise.all([call(provider, script, '/', sent), call(provider, script, '/', sent)]);
      expect(answers).toMatchObject(Array(2).fill({ status: 401, body: 'no' }));
    }
    agent.destroy();
  });

  it('answers 500 and stays up when the handler throws', async () => {
    const { provider, script } = await serve(
      'export default { fetch(r) { if (r.url.endsWith("/bad")) throw new Error("x"); return new Response("ok"); } };',
    );
    expect(await call(provider, script, '/bad')).toMatchObject({ status: 500 });
    expect(await call(provider, script)).toMatchObject({ status: 200, body: 'ok' });
  });

  it('refuses what is too large or malformed by its own limits', async () => {
    const router = { ...defaultLimits.router, urlBytes: 100, bodyBytes: 1_000, headerBytes: 2_000 };
    const node = await openNode({ limits: { router } });
    const { provider, script } = await serve(
      'export default { async fetch(r) { return new Response((await r.text()).length); } };',
      node,
    );
    const at = provider.url(script);
    const host = new URL(at).host;
    expect(await call(provider, script, `/${'a'.repeat(200)}`)).toMatchObject({ status: 414 });
    expect(await call(provider, script, '/', { method: 'POST', body: 'b'.repeat(1_001) })).toMatchObject({
      status: 413,
    });
    expect(await call(provider, script, '/', { method: 'POST', body: 'b'.repeat(1_000) })).toMatchObject({
      body: '1000',
    });
    const chunked = `POST / HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n${`1f4\r\n${'c'.repeat(500)}\r\n`.repeat(3)}`;
    expect(await raw(at, `${chunked}0\r\n\r\nGET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 413 /,
    );
    expect(await raw(at, `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 400 /,
    );
    const smuggled = `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
    expect(await raw(at, smuggled)).toMatch(/^HTTP\/1.1 400 /);
    expect(await raw(at, `GET / HTTP/1.1\r\nHost: ${host}\r\nX-A: ${'a'.repeat(3_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 431 /,
    );
  });

  it('answers 504 when a worker says nothing for too long, and 503 when it has too much in flight', async () => {
    const router = { ...defaultLimits.router, upstreamIdleMs: 600, inFlightPerWorker: 2 };
    const node = await openNode({ limits: { router } });
    const { provider, script } = await serve(
      'export default { async fetch() { await new Promise((r) => setTimeout(r, 5_000)); return new Response(""); } };',
      node,
    );
    const slow = [call(provider, script), call(provider, script)];
    await until('a third call is refused', async () => (await call(provider, script)).status === 503);
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([504, 504]);
  });

  it('passes WebSockets through, ends them when the worker is paused, and refuses them where none is', async () => {
    const { provider, script } = await serve(`export default { fetch() {
      const [client, server] = Object.values(new WebSocketPair());
      server.accept();
      server.addEventListener('message', ({ data }) => server.send('echo ' + data));
      return new Response(null, { status: 101, webSocket: client });
    } };`);
    const at = provider.url(script);
    const ask = (host: string) =>
      `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
    const socket = connect(Number(new URL(at).port), '127.0.0.1');
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
    });
    socket.write(ask(new URL(at).host));
    await until('the upgrade', () => received.includes('\r\n\r\n'));
    expect(received.toString('latin1')).toMatch(
      /^HTTP\/1.1 101 [\s\S]*sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/i,
    );
    // A masked text frame "hi" under the mask 0.
    socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]));
    await until('the echo', () => received.includes('echo hi'));
    const cut = new Promise((resolve) => socket.once('close', resolve));
    await provider.setPaused(script, true);
    await cut;
    expect(await raw(at, ask('nobody.localhost'))).toMatch(/^HTTP\/1.1 404 /);
  });
});
