import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { sealedHead } from '../../src/api/audit.ts';
import * as models from '../../src/api/models.ts';
import { openHead } from '../../src/platform/evidence/auditHead.ts';
import { temporaryBuildKey } from '../../src/platform/evidence/keys.ts';
import { createExportCheck } from '../../src/projections/audit/verifyExport.ts';
import { type ApiWorld, aCompany, aLiveWorker, aMember, type Company, problemOf } from '../support/api.ts';

const run = promisify(execFile);
const verifier = join(import.meta.dirname, '../../examples/verify-audit.mjs');
const page = z.object({ items: z.array(models.auditEntry), next: z.string().nullable() });

export const auditSuite = (shared: () => Promise<ApiWorld>): void => {
  let world: ApiWorld;
  let company: Company;
  let outsider: Company;
  beforeAll(async () => {
    world = await shared();
    company = await aCompany(world);
    await aLiveWorker(world, company);
    outsider = await aCompany(world, (await aMember(world, await aCompany(world), { role: 'OWNER' })).token);
  });

  const settled = async () => `waitFor=${await world.log.head()}`;
  const list = async (query = '') =>
    page.parse((await world.ask('GET', `${company.base}/audit?limit=200&${await settled()}${query}`, company)).body)
      .items;
  const fetchExport = async (query = '') =>
    (await world.ask('GET', `${company.base}/audit/export?${await settled()}${query}`, company)).text;
  const judge = (text: string) => {
    const check = createExportCheck();
    const fault = check.add(Buffer.from(text));
    return fault ? { ok: false as const, fault } : check.finish();
  };

  test.each(['actorId', 'action', 'resourceType', 'resourceId', 'requestId', 'correlationId', 'status', 'riskLevel'])(
    'is filtered by %s: all that fit and nothing else',
    async (name) => {
      const everything = await list();
      const shownOf = (entry: z.infer<typeof models.auditEntry>): string | null =>
        new Map<string, string | null>([
          ['actorId', entry.actor.id],
          ['action', entry.action],
          ['resourceType', entry.resource.type],
          ['resourceId', entry.resource.id],
          ['requestId', entry.requestId],
          ['correlationId', entry.correlationId],
          ['status', entry.status],
          ['riskLevel', entry.riskLevel],
        ]).get(name) ?? null;
      const values = new Set(everything.map(shownOf));
      expect(values.size).toBeGreaterThan(0);
      for (const value of values) {
        if (value === null) continue;
        const fitting = everything.filter((entry) => shownOf(entry) === value).map(({ id }) => id);
        const found = await list(`&${name}=${encodeURIComponent(value)}`);
        expect(found.map(({ id }) => id)).toEqual(fitting);
      }
    },
  );

  test('is read by time, page after page, without an entry lost or twice', async () => {
    const everything = await list();
    const middle = everything[Math.floor(everything.length / 2)]?.createdAt ?? '';
    const before = await list(`&to=${middle}`);
    const after = await list(`&from=${middle}`);
    expect([...after, ...before]).toEqual(everything);
    const read: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = `limit=2&to=${new Date(Date.now() + 60_000).toISOString()}${cursor && `&cursor=${cursor}`}`;
      const answered = page.parse((await world.ask('GET', `${company.base}/audit?${query}`, company)).body);
      read.push(...answered.items.map(({ id }) => id));
      cursor = answered.next;
    }
    expect(read).toEqual(everything.map(({ id }) => id));
  });

  test('has a head that anybody with the public key can check, and that names the newest entry', async () => {
    const [newest] = await list();
    const answered = await world.ask('GET', `${company.base}/audit/head?${await settled()}`, company);
    const opened = openHead(answered.text, [world.publicKey]);
    expect(opened).toMatchObject({
      ok: true,
      head: { workspaceId: company.workspaceId, sequence: newest?.sequence, hash: newest?.hash },
    });
    const { publicKey } = temporaryBuildKey();
    expect(openHead(answered.text, [publicKey])).toMatchObject({ ok: false, problem: 'KeyUnknown' });
    const sealed = sealedHead.parse(answered.body);
    const forged = Buffer.from(
      Buffer.from(sealed.payload, 'base64')
        .toString()
        .replace(/"sequence":\d+/, '"sequence":1'),
    );
    expect(
      openHead(JSON.stringify({ ...sealed, payload: forged.toString('base64') }), [world.publicKey]),
    ).toMatchObject({ ok: false, problem: 'SignatureInvalid' });
  });

  test('is exported whole, and verifies offline: by the program, and by an auditor with Node alone', async () => {
    const text = await fetchExport();
    const verdict = judge(text);
    const everything = await list();
    expect(verdict).toMatchObject({
      ok: true,
      proof: { entries: everything.length, complete: true, newest: { hash: everything[0]?.hash } },
    });
    const folder = await mkdtemp(join(tmpdir(), 'opslog-export-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const [file, key] = [join(folder, 'audit.jsonl'), join(folder, 'key.pem')];
    await writeFile(file, text);
    await writeFile(key, world.publicKey);
    const { stdout } = await run(process.execPath, [verifier, file, key]);
    expect(stdout).toContain(`${everything.length} entries fit, none is missing`);
    await writeFile(file, text.replace('"status":"success"', '"status":"failure"'));
    await expect(run(process.execPath, [verifier, file, key])).rejects.toMatchObject({
      stderr: expect.stringContaining('was edited'),
    });
    await writeFile(key, temporaryBuildKey().publicKey);
    await writeFile(file, text);
    await expect(run(process.execPath, [verifier, file, key])).rejects.toMatchObject({
      stderr: expect.stringContaining('did not sign'),
    });
    await expect(run(process.execPath, [verifier, `${file}.elsewhere`])).rejects.toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('Name the export') },
    });
  });

  test('an export that anybody changed in any byte, cut off, reordered or added to does not verify', async () => {
    const text = await fetchExport();
    const lines = text.split('\n').slice(0, -1);
    const entries = lines.length - 2;
    const place = fc.integer({ min: 1, max: entries });
    const tampering = fc.oneof(
      place.map((at) => lines.toSpliced(at, 1)),
      place.map((at) => lines.toSpliced(at, 0, lines[at] ?? '')),
      fc
        .tuple(place, place)
        .filter(([a, b]) => a !== b)
        .map(([a, b]) => lines.with(a, lines[b] ?? '').with(b, lines[a] ?? '')),
      fc.integer({ min: 1, max: lines.length - 1 }).map((at) => lines.slice(0, at)),
      fc.tuple(place, fc.nat(), fc.integer({ min: 1, max: 93 })).map(([at, where, by]) => {
        const line = lines[at] ?? '';
        const index = where % line.length;
        const code = ((line.charCodeAt(index) - 32 + by) % 94) + 32;
        return lines.with(at, line.slice(0, index) + String.fromCharCode(code) + line.slice(index + 1));
      }),
    );
    fc.assert(
      fc.property(
        tampering,
        (changed) => changed.join('\n') === lines.join('\n') || !judge(`${changed.join('\n')}\n`).ok,
      ),
      { numRuns: 2_000, seed: 7 },
    );
  });

  test('is exported in part with what was asked for, and says that it is no whole chain', async () => {
    const text = await fetchExport('&action=department.DepartmentCreated');
    expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({
      complete: false,
      filters: { action: 'department.DepartmentCreated' },
    });
    expect(judge(text)).toMatchObject({ ok: true, proof: { entries: 1, complete: false, sealedHead: '' } });
  });

  test('is exported as CSV after RFC 4180: every entry a row, every row as wide as its header', async () => {
    const body = { name: 'A, "B"', slug: 'csv' };
    const made = await world.ask('POST', `${company.base}/departments`, { token: company.token, body });
    expect(made.status).toBe(201);
    const answered = await world.ask('GET', `${company.base}/audit/export?format=csv&${await settled()}`, company);
    expect(answered.headers.get('content-type')).toContain('text/csv');
    const rows = parseCsv(answered.text);
    const width = rows[0]?.length ?? 0;
    expect(rows.every((row) => row.length === width)).toBe(true);
    expect(rows.length - 1).toBe((await list()).length);
    const metadata = rows.map((row) => row[rows[0]?.indexOf('metadata') ?? 0]).find((text) => text?.includes('csv'));
    expect(JSON.parse(metadata ?? '')).toMatchObject(body);
    expect(answered.text.endsWith('\r\n')).toBe(true);
  });

  describe('Who may', () => {
    const paths = ['/audit', '/audit/head', '/audit/export'];
    test.each(paths)('%s is for administrators, and of other companies for nobody', async (path) => {
      const viewer = await aMember(world, company, { role: 'MEMBER' });
      const asked = (token?: string) => world.ask('GET', `${company.base}${path}`, { token });
      expect(problemOf(await asked(viewer.token)).title).toBe('RoleInsufficient');
      expect(problemOf(await asked(outsider.token)).title).toBe('WorkspaceNotFound');
      expect(problemOf(await asked()).title).toBe('AuthenticationRequired');
    });

    test('whoever is limited to a department exports that alone, and gets no head of the whole', async () => {
      const limited = await aMember(world, company, { role: 'ADMIN', departmentIds: [company.departmentId] });
      const head = await world.ask('GET', `${company.base}/audit/head`, limited);
      expect(problemOf(head).title).toBe('RoleInsufficient');
      const { text } = await world.ask('GET', `${company.base}/audit/export?${await settled()}`, limited);
      expect(judge(text)).toMatchObject({ ok: true, proof: { complete: false, sealedHead: '' } });
      expect(text).not.toContain('MemberAdded');
    });
  });

  test('whoever asks for the head of an export gets no export', async () => {
    const answered = await world.ask('HEAD', `${company.base}/audit/export`, company);
    expect({ status: answered.status, text: answered.text }).toEqual({ status: 200, text: '' });
  });
};

/** RFC 4180, strictly. */
const parseCsv = (text: string): readonly (readonly string[])[] => {
  const rows: string[][] = [];
  let row: string[] = [];
  let read = 0;
  for (const match of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    const [field, quoted, plain = '', end] = match;
    if (match.index !== read) throw new Error(`No CSV from character ${read} on.`);
    read += field.length;
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== '\r\n') continue;
    rows.push(row);
    row = [];
  }
  if (read !== text.length) throw new Error(`No CSV from character ${read} on.`);
  return rows;
};
