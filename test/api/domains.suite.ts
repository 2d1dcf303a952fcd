import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { type Envelope, sha256 } from '../../src/commands/envelope.ts';
import type { EdgeDomainCommand } from '../../src/domain/edgeDomain/index.ts';
import { edgeDomainId } from '../../src/domain/identifiers.ts';
import { type ApiWorld, aCompany, aLiveWorker, aMember, type Company, problemOf } from '../support/api.ts';
import { issue } from '../support/certificates.ts';

const day = 86_400_000;

export const domainSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  let own: Company;
  let names = 0;
  const newName = () => `www${++names}.example.com`;

  beforeAll(async () => {
    world = await shared();
    own = await aCompany(world);
    await aLiveWorker(world, own);
  });

  const attach = (hostname: string, { token, worker }: Company = own, more: object = {}) =>
    world.ask('POST', `${worker}/domains`, { token, body: { hostname, ...more } });
  const at = (hostname: string, { worker }: Company = own) => `${worker}/domains/${encodeURIComponent(hostname)}`;
  const look = async (hostname: string, company: Company = own) => {
    const after = String(await world.log.head());
    const { token } = company;
    const answered = await world.ask('GET', at(hostname, company), { token, headers: { 'Opslog-Wait-For': after } });
    return { ...answered, domain: Object(answered.body) };
  };
  /** What the runner would say. */
  const tell = async (hostname: string, command: EdgeDomainCommand) => {
    const envelope: Envelope = {
      ...{ commandId: randomUUID(), commandDigest: '', actor: { kind: 'system', id: 'runner' }, authMethod: 'system' },
      ...{ workspaceId: own.workspaceId, departmentId: own.departmentId, requestId: '', correlationId: '' },
      causationId: '',
    };
    const sent = await world.aggregates.edgeDomain.send(edgeDomainId(sha256, hostname), command, envelope);
    expect(sent.ok).toBe(true);
  };
  const confirm = (hostname: string, claim = 1) =>
    tell(hostname, { type: 'ConfirmDomainAttachment', data: { claim, facts: { id: 'd1' } } });

  test('a name is claimed, attached, verified, detached, and shown on its way', async () => {
    const name = newName();
    const claimed = await attach(name);
    expect(claimed).toMatchObject({ status: 202, body: { hostname: name, status: 'attaching' } });
    expect(claimed.headers.get('location')).toBe(Object(claimed.body).statusUrl);
    expect((await look(name)).domain).toMatchObject({ status: 'attaching', url: null, certificate: null });
    const verify = () => world.ask('POST', `${at(name)}/verify`, { token: own.token });
    expect(problemOf(await verify()).title).toBe('DomainNotAttached');
    await confirm(name);
    expect((await verify()).status).toBe(202);
    const facts = { pointsHere: 'no' };
    await tell(name, {
      type: 'RecordDomainVerification',
      data: { claim: 1, verificationId: 'v1', verified: true, detail: 'It answers.', facts },
    });
    expect((await look(name)).domain).toMatchObject({
      ...{ status: 'attached', url: `http://${name}:8787`, facts: { id: 'd1' } },
      verification: { verified: true, detail: 'It answers.', facts },
    });
    const worker = await world.ask('GET', own.worker, { token: own.token });
    expect(worker.body).toMatchObject({ domainUrls: [`http://${name}:8787`] });
    expect(await world.ask('DELETE', at(name), { token: own.token })).toMatchObject({
      ...{ status: 202, body: { status: 'detaching' } },
    });
    expect(problemOf(await attach(name)).title).toBe('DomainDetaching');
    await tell(name, { type: 'ConfirmDomainDetachment', data: { claim: 1, facts: {} } });
    expect((await look(name)).status).toBe(404);
  });

  test('the same key gives the same claim, and a dry run claims nothing', async () => {
    const name = newName();
    const body = { hostname: name };
    const dry = await world.ask('POST', `${own.worker}/domains`, {
      ...{ token: own.token, body, headers: { Prefer: 'dry-run' } },
    });
    expect(dry.body).toMatchObject({ dryRun: true, events: [{ type: 'DomainAttachmentRequested' }] });
    expect((await look(name)).status).toBe(404);
    const headers = { 'Idempotency-Key': `attach-${name}` };
    const [first, second] = [
      await world.ask('POST', `${own.worker}/domains`, { token: own.token, body, headers }),
      await world.ask('POST', `${own.worker}/domains`, { token: own.token, body, headers }),
    ];
    expect(second.body).toEqual(first.body);
  });

  test('an international name is taken as written, shown both ways, and found either way', async () => {
    const name = `bücher${++names}.example`;
    const claimed = await attach(name.toUpperCase());
    const { hostname } = Object(claimed.body);
    expect(hostname).toMatch(/^xn--/);
    expect(claimed.body).toMatchObject({ unicodeHostname: name });
    expect((await look(name)).domain).toMatchObject({ hostname, unicodeHostname: name });
    expect((await look(hostname)).domain).toMatchObject({ hostname, unicodeHostname: name });
  });

  test.each([
    ['*.example.com', 'DomainNameInvalid'],
    ['10.0.0.1', 'DomainNameInvalid'],
    ['0x7f.1', 'DomainNameInvalid'],
    ['https://example.com', 'DomainNameInvalid'],
    ['xn--zzzzzzz99999.com', 'DomainNameInvalid'],
    ['intranet', 'DomainNameInvalid'],
    ['localhost', 'DomainNameReserved'],
    ['x.localhost', 'DomainNameReserved'],
  ])('%s is refused: %s', async (hostname, title) => {
    const answered = await attach(hostname);
    expect(problemOf(answered)).toMatchObject({ title, status: 422, field: 'hostname' });
  });

  test('a department without a deployed worker attaches nothing', async () => {
    const empty = await aCompany(world);
    expect(problemOf(await attach(newName(), empty)).title).toBe('EdgeWorkerNotFound');
    const files = [{ path: 'index.ts', content: 'export default { fetch: () => new Response() };' }];
    await world.ask('POST', `${empty.worker}/revisions`, { token: empty.token, body: { files } });
    expect(problemOf(await attach(newName(), empty)).title).toBe('EdgeWorkerNotDeployed');
  });

  test('a taken name tells its department inside the workspace, to those who may know of it, and nothing outside', async () => {
    const name = newName();
    await attach(name);
    const created = await world.ask('POST', `${own.base}/departments`, {
      ...{ token: own.token, body: { name: 'Second', slug: `second-${names}` } },
    });
    const departmentId = String(Object(created.body).id);
    const second = { ...own, departmentId, worker: `${own.base}/departments/${departmentId}/worker` };
    await aLiveWorker(world, second);
    const inside = problemOf(await attach(name, second));
    expect(inside).toMatchObject({ title: 'DomainTaken', details: { departmentId: own.departmentId } });
    expect(inside.details).toMatchObject({ department: 'payments' });
    const limited = await aMember(world, own, { role: 'MEMBER', departmentIds: [departmentId] });
    const kept = problemOf(await attach(name, { ...second, token: limited.token }));
    expect(kept.title).toBe('DomainTaken');
    expect(JSON.stringify(kept)).not.toContain(own.departmentId);
    const foreign = await aCompany(world, (await aMember(world, await aCompany(world), { role: 'OWNER' })).token);
    await aLiveWorker(world, foreign);
    const outside = problemOf(await attach(name, foreign));
    expect(outside.detail).toContain('another workspace of this installation');
    expect(JSON.stringify(outside)).not.toMatch(new RegExp(`${own.departmentId}|${own.workspaceId}`));
    expect((await look(name, foreign)).status).toBe(404);
    for (const [method, path] of [
      ['DELETE', at(name, foreign)],
      ['POST', `${at(name, foreign)}/verify`],
      ['DELETE', `${at(name, foreign)}/certificate`],
    ] as const) {
      expect(problemOf(await world.ask(method, path, { token: foreign.token })).title).toBe('DomainNotFound');
    }
    const listed = await world.ask('GET', `${foreign.worker}/domains`, { token: foreign.token });
    expect(listed.body).toMatchObject({ items: [] });
  });

  test('a viewer sees domains and changes none', async () => {
    const viewer = { ...own, token: (await aMember(world, own, { role: 'VIEWER' })).token };
    expect((await world.ask('GET', `${own.worker}/domains`, { token: viewer.token })).status).toBe(200);
    expect(problemOf(await attach(newName(), viewer)).title).toBe('RoleInsufficient');
  });

  test('a certificate is checked, sealed, shown without its key, replaced and removed', async () => {
    const name = newName();
    await attach(name);
    const put = (body: object) => world.ask('PUT', `${at(name)}/certificate`, { token: own.token, body });
    const { certificate, privateKey } = issue([name], { to: Date.now() + 20 * day });
    expect(await put({ certificate, privateKey })).toMatchObject({ status: 200, body: { names: [name] } });
    expect((await look(name)).domain.certificate).toMatchObject({ names: [name], state: 'ending' });
    const next = issue([name]);
    expect((await put({ certificate: next.certificate, privateKey: next.privateKey })).status).toBe(200);
    expect((await look(name)).domain.certificate).toMatchObject({ state: 'valid' });
    const stored: string[] = [];
    for await (const event of world.log.readStream(`edgeDomain-${edgeDomainId(sha256, name)}`)) {
      stored.push(JSON.stringify(event.data));
    }
    expect(stored.filter((text) => text.includes('encryptedData'))).toHaveLength(2);
    const secret = next.privateKey.split('\n')[1] ?? 'none';
    const shown = JSON.stringify((await look(name)).body) + world.logged.join('') + stored.join('');
    expect(shown).not.toContain(secret);
    expect((await world.ask('DELETE', `${at(name)}/certificate`, { token: own.token })).status).toBe(204);
    expect((await look(name)).domain.certificate).toBeNull();
  });

  test('a certificate that could not be served is refused with the reason, and without any part of the key', async () => {
    const name = newName();
    await attach(name);
    const good = issue([name]);
    const root = issue(['root.example']);
    const other = issue(['other.example.com']);
    const cases: readonly (readonly [object, RegExp])[] = [
      [{ certificate: 'no', privateKey: good.privateKey }, /no certificate in PEM/],
      [{ certificate: good.certificate, privateKey: 'no' }, /no private key in PEM/],
      [{ certificate: good.certificate, privateKey: other.privateKey }, /does not belong/],
      [{ certificate: other.certificate, privateKey: other.privateKey }, /does not name/],
      [{ certificate: good.certificate + root.certificate, privateKey: good.privateKey }, /did not issue/],
      [
        { certificate: good.certificate, privateKey: good.privateKey.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE') },
        /encrypted/,
      ],
      [issue([name], { to: Date.now() - day }), /expired/],
      [issue([name], { from: Date.now() + day, to: Date.now() + 2 * day }), /not valid before/],
    ];
    for (const [{ certificate, privateKey }, reason] of cases.map(([body, why]) => [Object(body), why] as const)) {
      const answered = await world.ask('PUT', `${at(name)}/certificate`, {
        ...{ token: own.token, body: { certificate, privateKey } },
      });
      expect(problemOf(answered)).toMatchObject({
        title: 'DomainCertificateInvalid',
        detail: expect.stringMatching(reason),
      });
      expect(answered.text).not.toContain(String(privateKey).split('\n')[1] || 'nothing');
    }
    expect((await look(name)).domain.certificate).toBeNull();
  });

  test('a certificate whose times are no times is refused, not recorded', async () => {
    const name = newName();
    await attach(name);
    const { certificate, privateKey } = issue([name], { from: Date.UTC(2020, 0, 1), to: Date.UTC(2040, 0, 1) });
    for (const time of ['20200101000000Z', '20400101000000Z']) {
      const der = Buffer.from(certificate.replaceAll(/-----.*-----|\n/g, ''), 'base64');
      der.write('99', der.indexOf(time) + 4);
      const broken = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
      const answered = await world.ask('PUT', `${at(name)}/certificate`, {
        ...{ token: own.token, body: { certificate: broken, privateKey } },
      });
      expect(problemOf(answered)).toMatchObject({
        ...{ title: 'DomainCertificateInvalid', detail: 'Its times of validity cannot be read.' },
      });
    }
    expect((await look(name)).domain.certificate).toBeNull();
  });

  test('a key that no handshake comes about with is refused before it is stored', async () => {
    const name = newName();
    await attach(name);
    for (const namedCurve of ['secp256k1', 'secp224r1'] as const) {
      const { certificate, privateKey } = issue([name], { namedCurve });
      const answered = await world.ask('PUT', `${at(name)}/certificate`, {
        ...{ token: own.token, body: { certificate, privateKey } },
      });
      expect(problemOf(answered)).toMatchObject({ field: 'privateKey', detail: expect.stringMatching(/P-256/) });
    }
    expect((await look(name)).domain.certificate).toBeNull();
  });

  test('where the provider makes certificates, none is taken', async () => {
    const name = newName();
    const scriptName = 'dw-1';
    const of = { companyId: own.workspaceId, departmentId: own.departmentId, workerId: 'w', scriptName };
    await tell(name, {
      type: 'RequestDomainAttachment',
      data: { hostname: name, ...of, provider: 'cloudflare', scope: 'cloud:1', adopt: false },
    });
    const { certificate, privateKey } = issue([name]);
    const answered = await world.ask('PUT', `${at(name)}/certificate`, {
      ...{ token: own.token, body: { certificate, privateKey } },
    });
    expect(problemOf(answered).title).toBe('DomainCertificateManaged');
    await confirm(name);
    expect((await look(name)).domain).toMatchObject({ url: `https://${name}` });
  });

  test('a refused name is shown with who has it, and forgotten when asked', async () => {
    const name = newName();
    await attach(name);
    await tell(name, {
      type: 'RefuseDomainAttachment',
      data: { claim: 1, code: 'domain_conflict', reason: 'A record is there.', owner: 'A www → 192.0.2.1' },
    });
    expect((await look(name)).domain).toMatchObject({
      ...{ status: 'refused', refusal: { code: 'domain_conflict', owner: 'A www → 192.0.2.1' } },
    });
    expect((await world.ask('DELETE', at(name), { token: own.token })).status).toBe(202);
    expect((await look(name)).status).toBe(404);
  });

  test('the list is by name, in pages', async () => {
    const company = await aCompany(world);
    await aLiveWorker(world, company);
    const mine = [newName(), newName(), newName()].sort();
    for (const name of [...mine].reverse()) await attach(name, company);
    const headers = { 'Opslog-Wait-For': String(await world.log.head()) };
    const first = await world.ask('GET', `${company.worker}/domains?limit=2`, { token: company.token, headers });
    const { items, next } = Object(first.body);
    const second = await world.ask('GET', `${company.worker}/domains?limit=2&cursor=${next}`, { token: company.token });
    const all = [...items, ...Object(second.body).items];
    expect(all.map((each: { hostname: string }) => each.hostname)).toEqual(mine);
  });
};
