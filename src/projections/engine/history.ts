import { sql } from 'kysely';
import type { Session } from '../../platform/database/port.ts';
import type { AnyTable, History, Moment } from '../table.ts';
import { latestTime, type StoredValue } from './columns.ts';
import { names } from './ddl.ts';
import { type Key, type Row, rowOf } from './rows.ts';
import { chunks, type PatchGroup, type Target } from './statements.ts';

/** Where a version ends that has not ended. */
export const openPosition = Number.MAX_SAFE_INTEGER;
export const openTime = latestTime;

/** What an event does to a subject; `row`s are whole, and open. */
export type VersionStep =
  | { readonly kind: 'open'; readonly moment: Moment; readonly row: Row }
  | { readonly kind: 'revise'; readonly moment: Moment; readonly set: Row; readonly otherwise: Row | undefined }
  | { readonly kind: 'close'; readonly moment: Moment };

export const historyOf = (table: AnyTable): History => {
  if (table.history === undefined) throw new Error(`${table.name} declares no history`);
  return table.history;
};

/** A version that begins now and has no end yet. */
export const versionOf = (
  table: AnyTable,
  { position, recordedAt }: Moment,
  given: Readonly<Record<string, unknown>>,
): Row => {
  const { from, to, since, until } = historyOf(table);
  return rowOf(table, { ...given, [from]: position, [to]: openPosition, [since]: recordedAt, [until]: openTime });
};

/** The open versions of these subjects, by subject. */
export const loadOpen = async (
  session: Session,
  target: Target,
  subjects: readonly Key[],
): Promise<Map<StoredValue, Row>> => {
  const { subject, to } = historyOf(target.table);
  const columns = Object.keys(target.table.columns);
  const found = new Map<StoredValue, Row>();
  for (const chunk of chunks(subjects)) {
    const { rows } = await sql<Row>`
      select ${names(columns)} from ${sql.table(target.physical)}
      where ${sql.id(subject)} in (${sql.join(chunk.flat())}) and ${sql.id(to)} = ${openPosition}`.execute(session);
    for (const row of rows) found.set(row[subject] ?? null, row);
  }
  return found;
};

export type Versions = {
  readonly closed: PatchGroup;
  readonly fresh: readonly Row[];
  /** How many were left out. */
  readonly orphans: number;
};

/** Which open versions end, and which new ones there are. An orphan is not written, and so ends what it would replace. */
export const nextVersions = (
  table: AnyTable,
  subjects: readonly { readonly key: Key; readonly steps: readonly VersionStep[] }[],
  open: ReadonlyMap<StoredValue, Row>,
  isOrphan: (row: Row) => boolean = () => false,
): Versions => {
  const { subject, from, to, until } = historyOf(table);
  const closed: (readonly StoredValue[])[] = [];
  const fresh: Row[] = [];
  let orphans = 0;
  const judge = (row: Row): boolean => {
    const orphan = isOrphan(row);
    if (orphan) orphans += 1;
    return orphan;
  };
  for (const { key, steps } of subjects) {
    const stored = open.get(key[0] ?? null);
    const line = follow(table, stored, steps, judge);
    for (const version of line) {
      if (version[from] !== stored?.[from]) fresh.push(version);
      else if (version[to] !== openPosition) {
        closed.push([version[subject] ?? null, version[from] ?? null, version[to] ?? null, version[until] ?? null]);
      }
    }
  }
  return { closed: { set: [to, until], add: [], rows: closed }, fresh, orphans };
};

/** The versions of one subject, from the one that is stored and open. A version that would have no length is left out. */
const follow = (
  table: AnyTable,
  stored: Row | undefined,
  steps: readonly VersionStep[],
  isOrphan: (row: Row) => boolean,
): readonly Row[] => {
  const { from, to, since, until } = historyOf(table);
  const line: Row[] = [];
  let now = stored;
  const end = ({ position, recordedAt }: Moment): number => {
    // A clock that was set back makes no version end before it began.
    const time = Math.max(Number(now?.[since] ?? 0), recordedAt);
    if (now !== undefined) line.push({ ...now, [to]: Number(position), [until]: time });
    return time;
  };
  const born = (row: Row): Row | undefined => (isOrphan(row) ? undefined : row);
  for (const step of steps) {
    if (step.kind === 'close') {
      end(step.moment);
      now = undefined;
    } else if (step.kind === 'open') {
      now = born({ ...step.row, [since]: end(step.moment) });
    } else if (now === undefined) {
      now = step.otherwise && born(step.otherwise);
    } else if (Object.entries(step.set).some(([name, value]) => now?.[name] !== value)) {
      const before = now;
      const time = end(step.moment);
      now = born({ ...before, ...step.set, [from]: Number(step.moment.position), [since]: time });
    }
  }
  if (now !== undefined && now !== stored) line.push(now);
  return line.filter((version) => version[from] !== version[to]);
};
