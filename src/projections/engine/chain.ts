import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Session } from '../../platform/database/port.ts';
import type { AnyTable, Chain } from '../table.ts';
import type { StoredValue } from './columns.ts';
import type { Row } from './rows.ts';
import { chunks, type Target } from './statements.ts';

export type ChainHead = { readonly sequence: number; readonly hash: string };

/** The newest row of each chain, by table name and then by the chain's `by`. */
export type ChainHeads = Map<string, Map<string, ChainHead>>;

export type ChainedTable = AnyTable & { readonly chain: Chain };

export const isChained = (table: AnyTable): table is ChainedTable => table.chain !== undefined;

/**
 * SHA-256 in lower-case hex over the hash before it (`''` for the first row) and the canonical JSON of the row's declared
 * columns, sequence included, without the two hashes.
 */
export const chainHash = (table: AnyTable, previous: string, row: Readonly<Record<string, StoredValue>>): string =>
  linkHash(previous, coveredText(table, row));

export const linkHash = (previous: string, covered: string): string => hash('sha256', previous + covered);

/** What the hash of a row covers: canonical JSON, names in order, no white space. */
export const coveredText = (table: AnyTable, row: Readonly<Record<string, StoredValue>>): string => {
  // Stored values are primitives: with the names in order, JSON.stringify is canonical.
  const covered: Row = { ...coveredColumns(table) };
  for (const name in covered) covered[name] = row[name] ?? null;
  return JSON.stringify(covered);
};

const coveredByTable = new WeakMap<AnyTable, Readonly<Row>>();

export const coveredColumns = (table: AnyTable): Readonly<Row> => {
  const known = coveredByTable.get(table);
  if (known !== undefined) return known;
  const names = Object.keys(table.columns)
    .filter((name) => name !== table.chain?.hash && name !== table.chain?.previous)
    .sort();
  const columns = Object.fromEntries(names.map((name) => [name, null]));
  coveredByTable.set(table, columns);
  return columns;
};

export type Link = ChainHead & { readonly previous: string };

const noHead: ChainHead = { sequence: 0, hash: '' };

/** The next link of a chain, which is its head from then on. `heads` must know every chain that has rows. */
export const nextLink = (
  heads: Map<string, ChainHead>,
  by: string,
  hashOf: (previous: string, sequence: number) => string,
): Link => {
  const { hash: previous, sequence: last } = heads.get(by) ?? noHead;
  const sequence = last + 1;
  const link = { sequence, previous, hash: hashOf(previous, sequence) };
  heads.set(by, link);
  return link;
};

/** Numbers the rows, in order, and links each to the one before it. */
export const linkRows = (table: ChainedTable, rows: readonly Row[], heads: Map<string, ChainHead>): void => {
  const { chain } = table;
  for (const row of rows) {
    const { sequence, previous, hash } = nextLink(heads, String(row[chain.by]), (before, number) =>
      chainHash(table, before, { ...row, [chain.sequence]: number }),
    );
    Object.assign(row, { [chain.sequence]: sequence, [chain.previous]: previous, [chain.hash]: hash });
  }
};

/** Reads the newest rows of those chains that `heads` does not know yet. A chain without rows gets no entry. */
export const loadHeads = async (
  session: Session,
  target: Target & { readonly table: ChainedTable },
  groups: ReadonlySet<string>,
  heads: Map<string, ChainHead>,
): Promise<void> => {
  const { by, sequence, hash } = target.table.chain;
  const unknown = [...groups].filter((group) => !heads.has(group)).map((group) => [group]);
  const [from, key, number, digest] = [sql.table(target.physical), sql.id(by), sql.id(sequence), sql.id(hash)];
  for (const chunk of chunks(unknown)) {
    const newest = sql`select ${key}, max(${number}) from ${from} where ${key} in (${sql.join(chunk.flat())}) group by ${key}`;
    const { rows } = await sql<{ by: string; sequence: number; hash: string }>`
      select ${key} as ${sql.id('by')}, ${number} as ${sql.id('sequence')}, ${digest} as ${sql.id('hash')}
      from ${from} where (${key}, ${number}) in (${newest})`.execute(session);
    for (const row of rows) heads.set(row.by, { sequence: Number(row.sequence), hash: row.hash });
  }
};

export type ChainVerdict =
  | { readonly ok: true; readonly rows: number; readonly heads: ReadonlyMap<string, ChainHead> }
  | { readonly ok: false; readonly by: string; readonly sequence: number; readonly reason: 'gap' | 'link' | 'hash' };

/** A row as far as its chain goes. */
export type ChainLink = ChainHead & { readonly by: string; readonly previous: string; readonly covered: string };

export type ChainCheck = {
  /** False once a row did not fit; then no more need be given. */
  add(link: ChainLink): boolean;
  verdict(): ChainVerdict;
};

/** Checks links, each chain in the order of its sequence; chains may come interleaved. */
export const createChainCheck = (): ChainCheck => {
  const heads = new Map<string, ChainHead>();
  let rows = 0;
  let broken: ChainVerdict | undefined;
  const fault = ({ by, sequence, previous, hash, covered }: ChainLink): 'gap' | 'link' | 'hash' | undefined => {
    const head = heads.get(by);
    if (sequence !== (head?.sequence ?? 0) + 1) return 'gap';
    if (previous !== (head?.hash ?? '')) return 'link';
    return hash === linkHash(previous, covered) ? undefined : 'hash';
  };
  return {
    add: (link) => {
      const reason = fault(link);
      if (reason !== undefined) broken ??= { ok: false, by: link.by, sequence: link.sequence, reason };
      if (broken !== undefined) return false;
      heads.set(link.by, { sequence: link.sequence, hash: link.hash });
      rows += 1;
      return true;
    },
    verdict: () => broken ?? { ok: true, rows, heads },
  };
};

/** The chain of a row as queries read it. */
export const linkOf = (table: ChainedTable, row: Row): ChainLink => ({
  by: String(row[table.chain.by]),
  sequence: Number(row[table.chain.sequence]),
  previous: String(row[table.chain.previous]),
  hash: String(row[table.chain.hash]),
  covered: coveredText(table, row),
});

/** Checks rows as queries read them. */
export const verifyChain = async (table: AnyTable, rows: Iterable<Row> | AsyncIterable<Row>): Promise<ChainVerdict> => {
  if (!isChained(table)) throw new Error(`${table.name} declares no hash chain`);
  const check = createChainCheck();
  for await (const row of rows) if (!check.add(linkOf(table, row))) break;
  return check.verdict();
};
