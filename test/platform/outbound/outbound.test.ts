import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/platform/clock/port.ts';
import { systemClock } from '../../../src/platform/clock/system.ts';
import { parseRange } from '../../../src/platform/outbound/addresses.ts';
import { createOutbound, type OutboundOptions } from '../../../src/platform/outbound/outbound.ts';
import type { OutboundRequest } from '../../../src/platform/outbound/port.ts';
import { authority, issue } from '../../support/certificates.ts';
import { answers, type Receiver, startReceiver } from '../../support/receiver.ts';

/** Its pauses are a hundred times shorter than they say. */
const hurried: Clock = { now: systemClock.now, sleep: (ms, signal) => systemClock.sleep(ms / 100, signal) };
const never = new AbortController().signal;
const loopback = parseRange('127.0.0.1');
const allow = loopback ? [loopback] : [];

const ca = authority('Test authority');
const certificate = issue(['hooks.example'], { by: ca });
const receivers: Receiver[] = [];
const aReceiver = async (tls?: typeof certificate) => {
  const receiver = await startReceiver(tls);
  receivers.push(receiver);
  return receiver;
};
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop();
});

const here = async () => [{ address: '127.0.0.1', family: 4 }];
const outboundWith = (more: Partial<OutboundOptions> = {}) =>
  createOutbound({ clock: hurried, allow, allowHttp: true, ca: ca.certificate, ...more });
const post = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  ...{ url, method: 'POST', headers: { 'x-one': '1' }, body: Buffer.from('{"a":1}') },
  ...{ connectTimeoutMs: 50_000, timeoutMs: 100_000, ...more },
});

describe('What is sent outside', () => {
  it('arrives whole, over TLS that was verified for the name', async () => {
    const receiver = await aReceiver(certificate);
    receiver.always(answers(201, { 'x-two': '2' }, 'thanks'));
    const answer = await outboundWith({ resolve: here }).send(
      post(`https://hooks.example:${receiver.port}/in?x=y`),
      never,
    );
    expect(answer).toMatchObject({ outcome: 'answered', status: 201, truncated: false, headers: { 'x-two': '2' } });
    expect(answer.outcome === 'answered' && Buffer.from(answer.body).toString()).toBe('thanks');
    expect(receiver.received).toMatchObject([
      { method: 'POST', path: '/in?x=y', body: '{"a":1}', headers: { 'x-one': '1' } },
    ]);
  });

  it('is not sent to a certificate of somebody else, or of nobody, whatever the environment says', async () => {
    const receiver = await aReceiver(certificate);
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const other = await outboundWith({ resolve: here }).send(post(`https://other.example:${receiver.port}/`), never);
      expect(other).toMatchObject({ outcome: 'failed', code: 'tls_failed' });
      const stranger = authority('Another authority').certificate;
      const unknown = outboundWith({ resolve: here, ca: stranger });
      expect(await unknown.send(post(`https://hooks.example:${receiver.port}/`), never)).toMatchObject({
        code: 'tls_failed',
      });
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
    expect(receiver.received).toEqual([]);
  });

  it('never goes to a name that leads inside, nor to an address of it written out', async () => {
    const receiver = await aReceiver();
    const strict = outboundWith({ allow: [], resolve: here });
    expect(await strict.send(post(`http://inside.example:${receiver.port}/`), never)).toMatchObject({
      code: 'address_refused',
    });
    expect(await strict.send(post(receiver.url), never)).toMatchObject({ code: 'address_refused' });
    expect(
      await createOutbound({ clock: hurried, allow: [], allowHttp: true }).send(
        post(`http://localhost:${receiver.port}/`),
        never,
      ),
    ).toMatchObject({
      code: 'address_refused',
    });
    expect(receiver.connections()).toBe(0);
  });

  it('goes to what was checked when a name changes its answer meanwhile', async () => {
    const receiver = await aReceiver();
    const asked: string[] = [];
    // Fit at the first look and inside at the second: who checks first and connects later is led inside.
    const fit = parseRange('127.0.0.2');
    const rebinding = outboundWith({
      allow: fit ? [fit] : [],
      resolve: async (hostname) => {
        asked.push(hostname);
        return [{ address: asked.length % 2 === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }];
      },
    });
    for (let round = 0; round < 4; round += 1) {
      const answer = await rebinding.send(post(`http://rebind.example:${receiver.port}/`), never);
      expect(answer.outcome).toBe('failed');
    }
    expect(receiver.connections()).toBe(0);
    expect(asked).toHaveLength(4);
  });

  it('is connected to the fit ones among the addresses of a name, and the others are passed over', async () => {
    const receiver = await aReceiver();
    const both = outboundWith({
      resolve: async () => [
        { address: '169.254.169.254', family: 4 },
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ],
    });
    expect(await both.send(post(`http://both.example:${receiver.port}/`), never)).toMatchObject({ status: 204 });
  });

  it('does not follow a redirect', async () => {
    const receiver = await aReceiver();
    const other = await aReceiver();
    receiver.always(answers(302, { location: other.url }));
    expect(await outboundWith().send(post(receiver.url), never)).toMatchObject({ outcome: 'answered', status: 302 });
    expect(other.connections()).toBe(0);
  });

  it('takes no proxy from the environment', async () => {
    const receiver = await aReceiver();
    const proxy = await aReceiver();
    process.env['HTTP_PROXY'] = proxy.url;
    process.env['http_proxy'] = proxy.url;
    try {
      expect(await outboundWith().send(post(receiver.url), never)).toMatchObject({ status: 204 });
    } finally {
      delete process.env['HTTP_PROXY'];
      delete process.env['http_proxy'];
    }
    expect(proxy.connections()).toBe(0);
  });
});

describe('A receiver that behaves badly', () => {
  it('is read no further than the limit, and its status counts', async () => {
    const receiver = await aReceiver();
    receiver.always((response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const answer = await outboundWith({ maxBytes: 50_000 }).send(post(receiver.url), never);
    expect(answer).toMatchObject({ outcome: 'answered', status: 200, truncated: true });
    expect(answer.outcome === 'answered' && answer.body.length).toBe(50_000);
  });

  it('that is silent is given up after the time, from the beginning', async () => {
    const receiver = await aReceiver();
    receiver.always(() => {});
    const answer = await outboundWith().send(post(receiver.url, { timeoutMs: 10_000 }), never);
    expect(answer).toMatchObject({ outcome: 'failed', code: 'timed_out' });
  });

  it('that drips its headers is given up, too; one that drips its body has answered', async () => {
    const receiver = await aReceiver();
    receiver.next((response) => {
      const socket = response.socket;
      socket?.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => void socket?.write('x-drip: 1\r\n'), 5);
      socket?.once('close', () => clearInterval(drip));
    });
    const request = post(receiver.url, { timeoutMs: 10_000 });
    expect(await outboundWith().send(request, never)).toMatchObject({ outcome: 'failed', code: 'timed_out' });
    receiver.next((response) => {
      response.writeHead(200);
      const drip = setInterval(() => void response.write('x'), 5);
      response.once('close', () => clearInterval(drip));
    });
    expect(await outboundWith().send(request, never)).toMatchObject({
      outcome: 'answered',
      status: 200,
      truncated: true,
    });
  });

  it('that hangs up, or speaks no HTTP, has not answered', async () => {
    const receiver = await aReceiver();
    receiver.next((response) => response.socket?.destroy());
    expect(await outboundWith().send(post(receiver.url), never)).toMatchObject({ code: 'broken_off' });
    receiver.next((response) => void response.socket?.end('SSH-2.0-OpenSSH\r\n'));
    expect(await outboundWith().send(post(receiver.url), never)).toMatchObject({ code: 'broken_off' });
    receiver.next(
      (response) =>
        void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    );
    expect(await outboundWith().send(post(receiver.url), never)).toMatchObject({ code: 'broken_off' });
    receiver.next((response) => void response.socket?.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`));
    expect(await outboundWith().send(post(receiver.url), never)).toMatchObject({ code: 'broken_off' });
  });

  it('that is not there is said not to be', async () => {
    const receiver = await aReceiver();
    await receiver.stop();
    expect(await outboundWith().send(post(receiver.url), never)).toMatchObject({ code: 'connect_failed' });
    const unresolved = outboundWith({
      resolve: async () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
    });
    expect(await unresolved.send(post('https://nowhere.example/'), never)).toMatchObject({ code: 'name_unresolved' });
    expect(await outboundWith({ resolve: async () => [] }).send(post('https://nowhere.example/'), never)).toMatchObject(
      {
        code: 'connect_failed',
      },
    );
  });

  it('keeps no more connections than its target may have', async () => {
    const receiver = await aReceiver();
    const waiting: (() => void)[] = [];
    receiver.always((response) => void waiting.push(() => response.end()));
    const outbound = outboundWith({ perTarget: 2, clock: systemClock });
    const all = Array.from({ length: 6 }, () => outbound.send(post(receiver.url), never));
    await expect.poll(() => waiting.length).toBe(2);
    expect(receiver.connections()).toBe(2);
    receiver.always((response) => void response.end());
    for (const end of waiting) end();
    expect((await Promise.all(all)).map(({ outcome }) => outcome)).toEqual(Array.from({ length: 6 }, () => 'answered'));
  });

  it('is let go at once when this side stops', async () => {
    const receiver = await aReceiver();
    const stopping = new AbortController();
    receiver.always(() => stopping.abort());
    const outbound = outboundWith({ clock: systemClock });
    expect(await outbound.send(post(receiver.url), stopping.signal)).toMatchObject({ code: 'aborted' });
    expect(await outbound.send(post(receiver.url), stopping.signal)).toMatchObject({ code: 'aborted' });
  });
});
