import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../src/platform/database/database.ts';
import type { SqlDatabase } from '../src/platform/database/port.ts';
import { auditLogs } from '../src/projections/audit/auditLogs.ts';
import { verifyAuditChain } from '../src/projections/audit/verify.ts';
import { createExportCheck } from '../src/projections/audit/verifyExport.ts';
import { visitChain } from '../src/projections/engine/readChain.ts';
import { writeChain } from './lib/auditFixture.ts';
import { expectEqual } from './lib/checks.ts';
import type { Context } from './lib/context.ts';
import { repeat } from './lib/repeat.ts';
import { type Figure, figureOf, type Section } from './lib/report.ts';
import { postgresScratch, whyMissing } from './lib/services.ts';
import { median } from './lib/stats.ts';

const workspaceId = 'bench';
const limitSeconds = 10;

/** Seconds of the clock, and of this process on a processor: the second is the same however busy the machine is. */
type Took = { readonly seconds: number; readonly cpuSeconds: number };

const timed = async (work: () => Promise<void>): Promise<Took> => {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - startedAt) / 1_000, cpuSeconds: (user + system) / 1_000_000 };
};

/** How long it takes to verify a chain: in the table on PostgreSQL, and in an exported file. */
export const measureAudit = async (context: Context): Promise<Omit<Section, 'disturbance' | 'seconds'>> => {
  const title = 'verification of the audit trail';
  const missing = await whyMissing('PostgreSQL');
  if (missing !== '') return { benchmark: 'B7', title, terms: [], figures: [], skipped: [`PostgreSQL: ${missing}`] };
  const entries = context.quick ? 100_000 : 1_000_000;
  const scratch = await postgresScratch();
  context.onEnd(scratch.drop);
  const database = await openDatabase(scratch.url);
  try {
    await writeChain(database, workspaceId, entries);
    const file = join(context.folder, 'audit.jsonl');
    await writeExport(database, file, entries);
    const count = context.quick ? 3 : 5;
    const table = await repeat(context, count, () => timed(() => verifyTable(database, entries)));
    const exported = await repeat(context, count, () => timed(() => verifyFile(file, entries)));
    const figures = [
      ...figuresOf('of the table on PostgreSQL', entries, table),
      ...figuresOf('of an exported file', entries, exported),
    ];
    const terms = [
      `one chain of ${entries} entries as steps of deployments leave them; every hash is computed again`,
      'the table is read by COPY, the file in pieces; the connection and the file are warm',
    ];
    return { benchmark: 'B7', title, terms, figures, skipped: [] };
  } finally {
    await database.close();
    await scratch.drop();
  }
};

const figuresOf = (what: string, entries: number, runs: readonly Took[]): readonly Figure[] => {
  const millions = entries / 1_000_000;
  const cpu = median(runs.map(({ cpuSeconds }) => cpuSeconds)) / millions;
  const perMillion = runs.map(({ seconds }) => seconds / millions);
  return [
    figureOf(
      { benchmark: 'B7', figure: `a million entries ${what}`, unit: 's' },
      { ours: perMillion, bare: [] },
      {
        floor: { text: `≤ ${limitSeconds} s`, holds: (value) => value <= limitSeconds },
        note: `${Math.round(1_000_000 / median(perMillion))} entries/s; ${cpu.toFixed(2)} s of processor in this process`,
      },
    ),
  ];
};

const verifyTable = async (database: SqlDatabase, entries: number): Promise<void> => {
  const verdict = await database.snapshot((session) => verifyAuditChain(session, database));
  expectEqual('Entries of the chain that fit', verdict.ok ? verdict.rows : 0, entries);
};

const verifyFile = async (path: string, entries: number): Promise<void> => {
  const check = createExportCheck();
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 }))
    expectEqual('A fault', check.add(piece)?.reason, undefined);
  const verdict = check.finish();
  expectEqual('Entries of the file that fit', verdict.ok ? verdict.proof.entries : 0, entries);
};

/** The same lines as the API writes. */
const writeExport = async (database: SqlDatabase, path: string, entries: number): Promise<void> => {
  const file = await open(path, 'w');
  const stream = file.createWriteStream();
  const pieces: string[] = [];
  stream.write(`${JSON.stringify({ format: 'opslog-audit-1', workspaceId, complete: true, filters: {} })}\n`);
  await visitChain(database.session, database, auditLogs, ({ hash, previous, covered }) => {
    pieces.push(`{"hash":"${hash}","previous":"${previous}","row":${covered}}\n`);
    if (pieces.length === 5_000) stream.write(pieces.splice(0).join(''));
    return true;
  });
  stream.write(pieces.join(''));
  stream.end(`${JSON.stringify({ entries, head: null })}\n`);
  await new Promise<void>((resolve, reject) => stream.once('close', () => resolve()).once('error', reject));
};
