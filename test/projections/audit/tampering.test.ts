import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditLogs } from '../../../src/projections/audit/auditLogs.ts';
import { compareTables, takeFingerprint } from '../../../src/projections/audit/fingerprint.ts';
import { type KnownHead, seekHeads } from '../../../src/projections/audit/heads.ts';
import { createChainCheck, isChained, linkOf, linkRows } from '../../../src/projections/engine/chain.ts';
import type { Row } from '../../../src/projections/engine/rows.ts';

if (!isChained(auditLogs)) throw new Error('audit_logs is chained');
const table = auditLogs;
const workspaces = ['', 'w1', 'w2'];

const rowOf = (index: number): Row => ({
  ...Object.fromEntries(Object.keys(table.columns).map((name) => [name, `${name} ${index % 4}`])),
  ...{ id: `event-${index}`, workspace_id: workspaces[index % 3] ?? '', seq: 0, position: index * 10 },
  ...{ resource_revision: index, created_at: 1_700_000_000_000 + index, risk_level: 'low', status: 'success' },
  metadata: JSON.stringify({ name: 'Straße "日本"', index }),
});

/** As a query reads them: each chain in the order of its sequence. */
const sorted = (rows: readonly Row[]): readonly Row[] =>
  rows.toSorted((a, b) =>
    a['workspace_id'] === b['workspace_id']
      ? Number(a['seq']) - Number(b['seq'])
      : String(a['workspace_id']) < String(b['workspace_id'])
        ? -1
        : 1,
  );

/** Every chain linked again from its first row, as somebody does who can write the table and knows how. */
const relinked = (rows: readonly Row[]): readonly Row[] => {
  const copies = sorted(rows).map((row) => ({ ...row }));
  linkRows(table, copies, new Map());
  return copies;
};

const original = relinked(Array.from({ length: 24 }, (_, index) => rowOf(index)));
const heads: readonly KnownHead[] = workspaces.map((workspaceId) => {
  const last = original.findLast((row) => row['workspace_id'] === workspaceId);
  return { workspaceId, sequence: Number(last?.['seq']), hash: String(last?.['hash']) };
});

const judge = (rows: readonly Row[]) => {
  const check = createChainCheck();
  const sought = seekHeads(heads);
  for (const row of sorted(rows)) {
    const link = linkOf(table, row);
    sought.pass(link);
    if (!check.add(link)) break;
  }
  return { chain: check.verdict(), heads: sought.verdicts().every(({ found }) => found === 'contained') };
};

async function* stream(rows: readonly Row[]): AsyncGenerator<Row> {
  yield* rows;
}
/** Told by a fresh replay of the log. */
const fitsLog = async (rows: readonly Row[]): Promise<boolean> =>
  compareTables(table.name, await takeFingerprint(table, stream(rows.toSorted(byId))), await expected) === undefined;
const byId = (a: Row, b: Row): number => (String(a['id']) < String(b['id']) ? -1 : 1);
const expected = takeFingerprint(table, stream(original.toSorted(byId)));

type Tampering = { readonly rows: readonly Row[]; readonly by: 'chain' | 'head' | 'log' };

const place = fc.nat({ max: original.length - 1 });
const changed = (row: Row, column: string): Row => {
  const value = row[column];
  if (typeof value === 'number') return { ...row, [column]: value + 1 };
  if (column === 'metadata') return { ...row, metadata: String(value).replace('index', 'Index') };
  return { ...row, [column]: `${String(value)}!` };
};
const at = (index: number): Row => original[index] ?? {};

const edit = fc
  .tuple(place, fc.constantFrom(...Object.keys(table.columns)))
  .map(([index, column]): Tampering => ({ rows: original.with(index, changed(at(index), column)), by: 'chain' }));
const isNewest = (index: number): boolean => heads.some(({ hash }) => hash === at(index)['hash']);
const removal = place.map(
  (index): Tampering => ({ rows: original.toSpliced(index, 1), by: isNewest(index) ? 'head' : 'chain' }),
);
const insertion = place.map(
  (index): Tampering => ({ rows: [...original, { ...at(index), id: 'forged' }], by: 'chain' }),
);
const swap = fc
  .tuple(place, place)
  .filter(([a, b]) => a !== b)
  .map(([a, b]): Tampering => {
    const places = (row: Row) => ({ workspace_id: row['workspace_id'] ?? null, seq: row['seq'] ?? null });
    const rows = original.with(a, { ...at(a), ...places(at(b)) }).with(b, { ...at(b), ...places(at(a)) });
    return { rows, by: 'chain' };
  });
const truncation = fc.tuple(fc.constantFrom(...workspaces), fc.nat({ max: 7 })).map(
  ([workspace, kept]): Tampering => ({
    rows: original.filter((row) => row['workspace_id'] !== workspace || Number(row['seq']) <= kept),
    by: 'head',
  }),
);
/** Whoever links the chain again fools it, and neither the head that was signed before nor the log. */
const forgery = fc
  .oneof(
    fc
      .tuple(place, fc.constantFrom('actor_id', 'metadata', 'action', 'created_at', 'ip', 'position'))
      .map(([index, column]) => original.with(index, changed(at(index), column))),
    place.map((index) => original.toSpliced(index, 1)),
  )
  .map((rows): Tampering => ({ rows: relinked(rows), by: 'head' }));
/** Newest entries that nobody made: every head is still there, and the log knows nothing of them. */
const addition = fc.integer({ min: 1, max: 3 }).map((count): Tampering => {
  const more = Array.from({ length: count }, (_, index) => ({ ...rowOf(100 + index), seq: 1_000 + index }));
  return { rows: relinked([...original, ...more]), by: 'log' };
});

describe('the audit trail', () => {
  it('holds as long as nobody touched it', async () => {
    expect(judge(original)).toMatchObject({ chain: { ok: true, rows: original.length }, heads: true });
    expect(await fitsLog(original)).toBe(true);
  });

  it('shows every one of 10,000 random edits, removals, insertions, swaps, truncations and forgeries', async () => {
    const counts = { chain: 0, head: 0, log: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          { arbitrary: edit, weight: 4 },
          ...[removal, insertion, swap, truncation, forgery, addition].map((arbitrary) => ({ arbitrary, weight: 1 })),
        ),
        async ({ rows, by }) => {
          const found = judge(rows);
          counts[by] += 1;
          // Who checks it: the chain by itself; a head that somebody kept; in any case the log.
          if (by === 'chain') expect(found.chain.ok).toBe(false);
          if (by === 'head') expect(found).toMatchObject({ chain: { ok: true }, heads: false });
          if (by === 'log') expect(found).toMatchObject({ chain: { ok: true }, heads: true });
          expect(await fitsLog(rows)).toBe(false);
        },
      ),
      { numRuns: 10_000, seed: 20_260_101 },
    );
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(500);
  }, 180_000);

  it('names the first entry that does not fit', () => {
    const edited = judge(original.with(4, changed(at(4), 'actor_id')));
    expect(edited.chain).toEqual({ ok: false, by: at(4)['workspace_id'], sequence: at(4)['seq'], reason: 'hash' });
  });
});
