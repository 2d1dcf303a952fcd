import type { Session, SqlDatabase } from '../../platform/database/port.ts';
import type { EventLog, Position } from '../../platform/eventLog/port.ts';
import { type ChainVerdict, createChainCheck } from '../engine/chain.ts';
import { readCheckpoints } from '../engine/checkpoints.ts';
import { rowsOf } from '../engine/digest.ts';
import { type Decode, replayInto, visitChain } from '../engine/index.ts';
import type { AnyTable } from '../table.ts';
import { auditLogs } from './auditLogs.ts';
import { compareTables, type TableDifference, type TableFingerprint, takeFingerprint } from './fingerprint.ts';
import { type HeadVerdict, type KnownHead, seekHeads } from './heads.ts';

export type VerifyOptions = {
  readonly database: SqlDatabase;
  readonly log: EventLog;
  readonly tables: readonly AnyTable[];
  readonly decode: Decode;
  /** An empty database to replay the log into; it is closed afterwards. */
  readonly openScratch: () => Promise<SqlDatabase>;
  /** The tables must have everything up to here; a table that has not counts as a failure. */
  readonly at?: Position;
  readonly signal?: AbortSignal;
};

export type AuditProof = {
  readonly ok: boolean;
  /** The hash chains of audit_logs, recomputed from its rows alone. */
  readonly chain: {
    readonly ok: boolean;
    readonly entries: number;
    /** The first row that does not fit the one before it. */
    readonly broken?: { readonly workspaceId: string; readonly sequence: number; readonly reason: string };
  };
  /** Every read table against a fresh replay of the log up to where the table stands. */
  readonly tables: {
    readonly ok: boolean;
    readonly compared: number;
    readonly rows: number;
    readonly differing: readonly TableDifference[];
    /** Tables that have not got as far as was asked. */
    readonly behind: readonly string[];
  };
  readonly position: Position;
};

/**
 * Proves that nobody edited, removed, inserted or reordered rows: the hash chain is recomputed, and every table is compared
 * with what the log says it must hold. What the chain alone cannot show, such as missing newest rows, the log does.
 */
export const verifyAudit = async (options: VerifyOptions): Promise<AuditProof> => {
  // Only hashes are kept from one moment of the tables: the replay, which takes long, need not hold them up.
  const look = await options.database.snapshot((session) => lookAtTables(options, session));
  return prove(look, await replayTables(options, look.positions), options.at);
};

type Fingerprints = ReadonlyMap<string, TableFingerprint>;
type Positions = ReadonlyMap<string, Position>;
export type Look = { readonly verdict: ChainVerdict; readonly found: Fingerprints; readonly positions: Positions };

/** What the tables hold now. */
export const lookAtTables = async (
  { database, tables, signal }: Pick<VerifyOptions, 'database' | 'tables' | 'signal'>,
  session: Session,
): Promise<Look> => {
  const checkpoints = await readCheckpoints(session);
  const found = new Map<string, TableFingerprint>();
  for (const table of tables) {
    signal?.throwIfAborted();
    found.set(table.name, await takeFingerprint(table, rowsOf(session, database, table)));
  }
  return {
    verdict: await verifyAuditChain(session, database),
    found,
    positions: new Map(tables.map(({ name }) => [name, checkpoints.get(name)?.position ?? 0n])),
  };
};

/** `entries` were looked at, up to the first that does not fit. */
export type AuditChainVerdict = ChainVerdict & { readonly entries: number; readonly found: readonly HeadVerdict[] };

/** Recomputes the chain of every workspace from the rows of audit_logs, and looks for heads that were signed earlier. */
export const verifyAuditChain = async (
  session: Session,
  database: SqlDatabase,
  heads: readonly KnownHead[] = [],
): Promise<AuditChainVerdict> => {
  const check = createChainCheck();
  const sought = seekHeads(heads);
  let entries = 0;
  await visitChain(session, database, auditLogs, (link) => {
    sought.pass(link);
    entries += 1;
    return check.add(link);
  });
  return { ...check.verdict(), entries, found: sought.verdicts() };
};

/**
 * What the tables must hold. They stand at one position as a rule; one that stopped is compared with the log as of where
 * it stopped.
 */
export const replayTables = async (
  { log, tables, decode, signal, openScratch }: Omit<VerifyOptions, 'database' | 'at'>,
  positions: Positions,
): Promise<Fingerprints> => {
  const expected = new Map<string, TableFingerprint>();
  for (const position of new Set(positions.values())) {
    const scratch = await openScratch();
    try {
      await replayInto(scratch, { log, tables, decode, until: { position }, ...(signal && { signal }) });
      for (const table of tables) {
        if (positions.get(table.name) !== position) continue;
        expected.set(table.name, await takeFingerprint(table, rowsOf(scratch.session, scratch, table)));
      }
    } finally {
      await scratch.close();
    }
  }
  return expected;
};

export const prove = ({ verdict, found, positions }: Look, expected: Fingerprints, at: Position = 0n): AuditProof => {
  const differing = [...found].flatMap(([name, there]) => {
    const difference = compareTables(name, there, expected.get(name) ?? nothing);
    return difference ? [difference] : [];
  });
  const behind = [...positions].flatMap(([name, position]) => (position < at ? [name] : []));
  const chain = chainOf(verdict, found.get(auditLogs.name)?.digest.rows ?? 0);
  const ok = differing.length === 0 && behind.length === 0;
  const rows = [...found.values()].reduce((sum, { digest }) => sum + digest.rows, 0);
  return {
    ok: chain.ok && ok,
    chain,
    tables: { ok, compared: found.size, rows, differing, behind },
    position: lowest([...positions.values()]),
  };
};

const nothing: TableFingerprint = { digest: { rows: 0, sha256: '' }, rows: new Map() };

const chainOf = (verdict: ChainVerdict, entries: number): AuditProof['chain'] => {
  if (verdict.ok) return { ok: true, entries };
  const { by: workspaceId, sequence, reason } = verdict;
  return { ok: false, entries, broken: { workspaceId, sequence, reason } };
};

const lowest = (positions: readonly Position[]): Position =>
  [...positions].sort((left, right) => Number(left - right))[0] ?? 0n;
