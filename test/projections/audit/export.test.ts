import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auditLogs } from '../../../src/projections/audit/auditLogs.ts';
import { createExportCheck, type ExportVerdict } from '../../../src/projections/audit/verifyExport.ts';
import { type ChainHead, coveredText, isChained, linkHash, linkRows } from '../../../src/projections/engine/chain.ts';

const workspaceId = 'w"1,"workspace_id":"w2"}';
const texts = ['Grüße 你好 🚀', ',"seq":7,', '}}\\n{"entries":6', ''];

/** An export as the API writes it. */
const exported = (count: number): readonly string[] => {
  if (!isChained(auditLogs)) throw new Error('The audit trail is chained.');
  const rows = Array.from({ length: count }, (_, at) => ({
    ...Object.fromEntries(Object.keys(auditLogs.columns).map((name) => [name, null])),
    ...{ id: `e${at}`, workspace_id: workspaceId, action: texts[at % texts.length] ?? '', status: 'success' },
  }));
  linkRows(auditLogs, rows, new Map<string, ChainHead>());
  const { hash, previous } = auditLogs.chain;
  return [
    JSON.stringify({ format: 'opslog-audit-1', workspaceId, complete: true, filters: {} }),
    ...rows.map((row: Record<string, unknown>) => {
      const covered = coveredText(auditLogs, rowOf(row));
      return `{"hash":"${row[hash]}","previous":"${row[previous]}","row":${covered}}`;
    }),
    JSON.stringify({ entries: count, head: null }),
  ];
};
const rowOf = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : value === null ? null : `${value}`,
    ]),
  );

const judge = (bytes: Buffer, pieceSize: number): ExportVerdict => {
  const check = createExportCheck();
  for (let from = 0; from < bytes.length; from += pieceSize) {
    const fault = check.add(Buffer.from(bytes.subarray(from, from + pieceSize)));
    if (fault) return { ok: false, fault };
  }
  return check.finish();
};
const textOf = (lines: readonly string[]): Buffer => Buffer.from(`${lines.join('\n')}\n`);

describe('An export of the audit trail', () => {
  const lines = exported(6);
  const [first = '', ...rest] = lines;
  const entries = rest.slice(0, -1);
  const last = rest.at(-1) ?? '';
  const whole = textOf(lines);
  const pieceSize = fc.integer({ min: 1, max: 700 });

  test('proves itself, in pieces of any size, whatever its texts look like', () => {
    fc.assert(
      fc.property(pieceSize, (size) => {
        expect(judge(whole, size)).toMatchObject({ ok: true, proof: { workspaceId, entries: 6, complete: true } });
      }),
    );
    expect(judge(Buffer.from(lines.join('\n')), 99)).toMatchObject({ ok: true });
  });

  test('is not believed when any byte of its entries is another one', () => {
    const begin = Buffer.byteLength(first) + 1;
    const end = whole.length - Buffer.byteLength(last) - 2;
    fc.assert(
      fc.property(fc.integer({ min: begin, max: end }), fc.integer({ min: 1, max: 255 }), pieceSize, (at, by, size) => {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ by;
        expect(judge(changed, size).ok).toBe(false);
      }),
      { numRuns: 3_000 },
    );
  });

  test('is not believed when an entry was written anew, with the hash that fits it', () => {
    for (const at of entries.keys()) {
      const forged = [...entries];
      const line = entries[at] ?? '';
      const covered = line.slice(line.indexOf('"row":') + 6, -1).replace('"success"', '"failure"');
      const previous = /"previous":"([0-9a-f]*)"/.exec(line)?.[1] ?? '';
      forged[at] = `{"hash":"${linkHash(previous, covered)}","previous":"${previous}","row":${covered}}`;
      const isLast = at === entries.length - 1;
      // The newest one is held by the signed head alone.
      expect(judge(textOf([first, ...forged, last]), 500).ok).toBe(isLast);
    }
  });

  test('is not believed when entries are removed, doubled, moved or cut off', () => {
    const place = fc.nat({ max: entries.length - 1 });
    const changes = fc.oneof(
      fc.record({ how: fc.constant('remove' as const), at: place, to: place }),
      fc.record({ how: fc.constant('double' as const), at: place, to: place }),
      fc.record({ how: fc.constant('move' as const), at: place, to: place }),
      fc.record({ how: fc.constant('cut' as const), at: place, to: place }),
    );
    fc.assert(
      fc.property(changes, pieceSize, ({ how, at, to }, size) => {
        fc.pre(how !== 'move' || at !== to);
        const changed = [...entries];
        const [taken = ''] = changed.splice(at, how === 'double' ? 0 : 1);
        if (how === 'double') changed.splice(to, 0, entries[at] ?? '');
        if (how === 'move') changed.splice(to, 0, taken);
        const text = how === 'cut' ? textOf([first, ...entries.slice(0, at + 1)]) : textOf([first, ...changed, last]);
        expect(judge(text, size).ok).toBe(false);
      }),
    );
  });

  test('is no export when a line never ends or is nested without end, whatever the size of the file', () => {
    const check = createExportCheck();
    const piece = Buffer.alloc(1024 * 1024, 'a');
    let fault = check.add(piece);
    for (let pieces = 1; fault === undefined && pieces < 64; pieces += 1) fault = check.add(piece);
    expect(fault).toEqual({ line: 1, reason: 'form' });
    const deep = `{"entries":6,"head":{"payload":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
    expect(judge(textOf([first, ...entries, deep]), 100_000)).toMatchObject({ ok: false, fault: { reason: 'end' } });
  });
});
