import type { IncomingMessage } from 'node:http';
import { Agent, request as tlsRequest } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openFolderStore } from '../../../src/platform/artifacts/folderStore.ts';
import { systemClock } from '../../../src/platform/clock/system.ts';
import { createWorkerdProvider, type WorkerdProvider } from '../../../src/platform/edge/workerd/index.ts';
import { silentLog } from '../../../src/platform/log/port.ts';
import { authority, issue } from '../../support/certificates.ts';
import { answering, call, deploy, never, newFolder, newScriptName, revisionOf } from './support.ts';

const dns = { resolve: async () => ['192.0.2.1'], own: () => ['192.0.2.1'] };

/** A node with HTTPS, and a worker on it. */
const serve = async (source = answering('hello'), more: { readonly dns?: typeof dns } = {}) => {
  const dataDir = await newFolder();
  const artifacts = await openFolderStore(`${dataDir}/artifacts`);
  const options = {
    dataDir: `${dataDir}/node`,
    artifacts,
    log: silentLog,
    clock: systemClock,
    tlsPort: 0,
    dns,
    ...more,
  };
  const provider = await createWorkerdProvider(options);
  onTestFinished(() => provider.close());
  const add = async (text: string) => {
    const scriptName = newScriptName();
    const outcome = await deploy(provider, await revisionOf({ artifacts }, scriptName, 1, text));
    expect(outcome).toMatchObject({ outcome: 'done' });
    return scriptName;
  };
  return { provider, dataDir, add, script: await add(source) };
};

const domainOf = (hostname: string, scriptName: string, adopt = false) => ({
  ...{ hostname, scriptName, adopt, domainId: `domain of ${hostname}` },
});

type Over = { readonly servername: string; readonly host?: string; readonly ca: string; readonly agent?: Agent };

/** One request over TLS, the certificate checked as a browser does. */
const callTls = (provider: WorkerdProvider, { servername, host = servername, ca, agent }: Over) =>
  new Promise<{ readonly status: number; readonly body: string; readonly fingerprint: string }>((resolve, reject) => {
    const outgoing = tlsRequest({
      ...{ host: '127.0.0.1', port: provider.tlsPort, servername, ca, path: '/', agent: agent ?? false },
      headers: { Host: host },
    });
    outgoing.on('error', reject);
    outgoing.on('response', async (response: IncomingMessage & { readonly socket: object }) => {
      const { fingerprint256 } = Object(response.socket).getPeerCertificate();
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve({ status: response.statusCode ?? 0, body, fingerprint: fingerprint256 });
    });
    outgoing.end();
  });

/** How a handshake ends. */
const handshake = (provider: WorkerdProvider, servername: string, more: object = {}): Promise<string> =>
  new Promise((resolve) => {
    const socket: TLSSocket = connect(
      { host: '127.0.0.1', port: provider.tlsPort ?? 0, rejectUnauthorized: false, servername, ...more },
      () => {
        resolve(socket.getProtocol() ?? '');
        socket.destroy();
      },
    );
    socket.on('error', (error) => resolve(`refused: ${error.message}`));
  });

describe('a host name on-prem', () => {
  test('leads to its script once attached, whatever port and final dot it is asked with, and nowhere once detached', async () => {
    const { provider, script } = await serve();
    const domain = domainOf('www.example.com', script);
    expect((await call(provider, script, '/', { host: 'www.example.com' })).status).toBe(404);
    expect(await provider.attachDomain(domain, never)).toMatchObject({ outcome: 'done' });
    for (const host of ['www.example.com', 'WWW.example.com:8788', 'www.example.com.']) {
      expect(await call(provider, script, '/', { host })).toMatchObject({ status: 200, body: 'hello' });
    }
    expect((await call(provider, script, '/', { host: 'x.www.example.com' })).status).toBe(404);
    expect(await call(provider, script)).toMatchObject({ status: 200 });
    expect(await provider.detachDomain(domain, never)).toMatchObject({ outcome: 'done' });
    expect((await call(provider, script, '/', { host: 'www.example.com' })).status).toBe(404);
    expect(await call(provider, script)).toMatchObject({ status: 200 });
  });

  test('that leads there already is done; one that leads to another script is refused with it, unless adopted', async () => {
    const { provider, script, add } = await serve();
    const other = await add(answering('other'));
    await provider.attachDomain(domainOf('www.example.com', script), never);
    expect(await provider.attachDomain(domainOf('www.example.com', script), never)).toMatchObject({ outcome: 'done' });
    expect(await provider.attachDomain(domainOf('www.example.com', other), never)).toMatchObject({
      ...{ outcome: 'refused', code: 'domain_conflict', facts: { owner: script } },
    });
    expect(await call(provider, script, '/', { host: 'www.example.com' })).toMatchObject({ body: 'hello' });
    await provider.detachDomain(domainOf('www.example.com', other), never);
    expect(await call(provider, script, '/', { host: 'www.example.com' })).toMatchObject({ body: 'hello' });
    await provider.attachDomain(domainOf('www.example.com', other, true), never);
    expect(await call(provider, script, '/', { host: 'www.example.com' })).toMatchObject({ body: 'other' });
  });

  test('is verified by who answers; what DNS says is told and decides nothing', async () => {
    const { provider, script, add } = await serve(answering('hello'), {
      dns: { resolve: async () => ['198.51.100.9'], own: () => ['192.0.2.1'] },
    });
    const other = await add(answering('other'));
    const domain = domainOf('www.example.com', script);
    expect(await provider.verifyDomain(domain, never)).toMatchObject({ outcome: 'retry' });
    await provider.attachDomain(domain, never);
    expect(await provider.verifyDomain(domain, never)).toMatchObject({
      outcome: 'done',
      detail:
        "Opslog's own router answers for www.example.com with revision 1 of the worker. DNS leads to 198.51.100.9, not to this machine.",
      facts: { dns: '198.51.100.9', pointsHere: 'no' },
    });
    provider.hostnames.route('www.example.com', other);
    expect(await provider.verifyDomain(domain, never)).toMatchObject({ outcome: 'refused', code: 'another_script' });
  });
});

describe('HTTPS on-prem', () => {
  test('serves each name with its own certificate, refuses other names, and takes TLS 1.2 and 1.3 only', async () => {
    const { provider, script, add } = await serve();
    const other = await add(answering('other'));
    const root = authority('Company Root');
    const ca = root.certificate;
    for (const [hostname, scriptName] of [
      ['a.example.com', script],
      ['b.example.com', other],
    ] as const) {
      await provider.attachDomain(domainOf(hostname, scriptName), never);
      provider.hostnames.certify(hostname, issue([hostname], { by: root }));
    }
    expect(await callTls(provider, { servername: 'a.example.com', ca })).toMatchObject({ status: 200, body: 'hello' });
    expect(await callTls(provider, { servername: 'b.example.com', ca })).toMatchObject({ status: 200, body: 'other' });
    expect(await handshake(provider, 'c.example.com')).toMatch(/^refused/);
    expect(await handshake(provider, '')).toMatch(/^refused/);
    expect(await handshake(provider, 'a.example.com', { maxVersion: 'TLSv1.2' })).toBe('TLSv1.2');
    expect(await handshake(provider, 'a.example.com')).toBe('TLSv1.3');
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    expect(await handshake(provider, 'a.example.com', old)).toMatch(/^refused/);
  });

  test('tells the worker that it was https, and answers 421 for another name on the same connection', async () => {
    const { provider, script } = await serve('export default { fetch: (request) => new Response(request.url) };');
    const root = authority('Company Root');
    const ca = root.certificate;
    await provider.attachDomain(domainOf('a.example.com', script), never);
    await provider.attachDomain(domainOf('b.example.com', script), never);
    provider.hostnames.certify('a.example.com', issue(['a.example.com'], { by: root }));
    expect(await callTls(provider, { servername: 'a.example.com', ca })).toMatchObject({
      body: 'https://a.example.com/',
    });
    expect(await callTls(provider, { servername: 'a.example.com', host: 'b.example.com', ca })).toMatchObject({
      status: 421,
    });
  });

  test('a certificate is replaced under load without a failed request or a broken connection', async () => {
    const { provider, script } = await serve();
    const root = authority('Company Root');
    const ca = root.certificate;
    const servername = 'a.example.com';
    await provider.attachDomain(domainOf(servername, script), never);
    const seen = new Set<string>();
    const answers = { good: 0, bad: 0 };
    const replacements = 10;
    let replaced = 0;
    const kept = new Agent({ keepAlive: true, maxSockets: 2 });
    onTestFinished(() => kept.destroy());
    const ask = async (agent: Agent | undefined): Promise<void> => {
      for (let extra = 0; extra < 3; extra += replaced === replacements ? 1 : 0) {
        const answer = await callTls(provider, { servername, ca, ...(agent && { agent }) }).catch(() => undefined);
        if (answer?.status === 200) answers.good += 1;
        else answers.bad += 1;
        if (answer && !agent) seen.add(answer.fingerprint);
      }
    };
    provider.hostnames.certify(servername, issue([servername], { by: root }));
    const asking = Promise.all([ask(undefined), ask(undefined), ask(kept), ask(kept)]);
    for (; replaced < replacements; replaced += 1) {
      const before = answers.good;
      await expect.poll(() => answers.good, { interval: 2, timeout: 10_000 }).toBeGreaterThan(before + 5);
      provider.hostnames.certify(servername, issue([servername], { by: root }));
    }
    await asking;
    expect(answers.bad).toBe(0);
    expect(answers.good).toBeGreaterThan(replacements * 5);
    expect(seen.size).toBeGreaterThan(2);
  });

  test('an expired certificate is served all the same, so that callers can say what is wrong', async () => {
    const { provider, script } = await serve();
    const root = authority('Company Root');
    const expired = issue(['a.example.com'], { by: root, from: Date.now() - 2_000_000, to: Date.now() - 1_000_000 });
    await provider.attachDomain(domainOf('a.example.com', script), never);
    provider.hostnames.certify('a.example.com', expired);
    await expect(callTls(provider, { servername: 'a.example.com', ca: root.certificate })).rejects.toMatchObject({
      code: 'CERT_HAS_EXPIRED',
    });
    expect(await handshake(provider, 'a.example.com')).toBe('TLSv1.3');
  });

  test('once it is removed, the name is refused', async () => {
    const { provider, script } = await serve();
    await provider.attachDomain(domainOf('a.example.com', script), never);
    provider.hostnames.certify('a.example.com', issue(['a.example.com']));
    expect(await handshake(provider, 'a.example.com')).toBe('TLSv1.3');
    provider.hostnames.certify('a.example.com', undefined);
    expect(await handshake(provider, 'a.example.com')).toMatch(/^refused/);
  });
});
