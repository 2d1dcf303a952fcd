import type { SqlDatabase } from '../../../src/platform/database/port.ts';
import type { StoredEvent } from '../../../src/platform/eventLog/port.ts';
import { canonicalJson } from '../../../src/projections/engine/canonicalJson.ts';
import { chainHash } from '../../../src/projections/engine/chain.ts';
import { defaultOf, type StoredValue, storing } from '../../../src/projections/engine/columns.ts';
import { rowsOf } from '../../../src/projections/engine/digest.ts';
import { historyOf, openPosition, openTime } from '../../../src/projections/engine/history.ts';
import { parentsFirst } from '../../../src/projections/engine/topology.ts';
import type { AnyRowWriter, AnyTable, Moment } from '../../../src/projections/table.ts';
import { decode } from './library.ts';

type Row = Record<string, StoredValue>;
type Loose = Readonly<Record<string, unknown>>;

/**
 * Read tables as plain maps, one event at a time, with none of the engine's batches: what the engine must agree with.
 * Cascades and dropped orphans are done the slow, obvious way.
 */
export const foldModel = (tables: readonly AnyTable[], events: readonly StoredEvent[]): Map<string, Row[]> => {
  const rows = new Map<AnyTable, Map<string, Row>>(tables.map((table) => [table, new Map()]));
  const of = (table: AnyTable): Map<string, Row> => rows.get(table) ?? new Map();
  const byName = (name: string): AnyTable | undefined => tables.find((table) => table.name === name);

  const removeRow = (table: AnyTable, id: string): void => {
    const gone = of(table).get(id);
    if (gone === undefined) return;
    of(table).delete(id);
    for (const child of tables) {
      for (const key of Object.values(child.foreignKeys)) {
        if (key.references !== table.name) continue;
        for (const [childId, row] of [...of(child)]) {
          if (key.columns.every((column, at) => row[column] === gone[key.to[at] ?? ''])) removeRow(child, childId);
        }
      }
    }
  };

  const writer = (table: AnyTable): AnyRowWriter => {
    const idOf = (given: Loose): string => canonicalJson(table.primaryKey.map((name) => given[name]));
    const keyed = (key: unknown): string =>
      typeof key === 'object' && key !== null ? idOf({ ...key }) : canonicalJson([key]);
    const store = (given: Loose): Row =>
      Object.fromEntries(
        Object.entries(given)
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => {
            const column = table.columns[name];
            if (column === undefined) throw new Error(name);
            return [name, storing(name, column)(value)];
          }),
      );
    const change = (id: string, set: Row): void => void Object.assign(of(table).get(id) ?? {}, set);
    const matching = (where: Loose): string[] =>
      [...of(table)]
        .filter(([, row]) => Object.entries(store(where)).every(([name, value]) => row[name] === value))
        .map(([id]) => id);
    const insert = (given: Loose): void => {
      const row: Row = {};
      for (const [name, column] of Object.entries(table.columns)) row[name] = defaultOf(column) ?? null;
      Object.assign(row, store(given));
      const orphan = Object.values(table.foreignKeys).some((key) => {
        const parent = byName(key.references);
        return ![...(parent === undefined ? [] : of(parent).values())].some((candidate) =>
          key.columns.every((column, at) => candidate[key.to[at] ?? ''] === row[column]),
        );
      });
      if (orphan) return;
      if (of(table).has(idOf(row))) throw new Error('duplicate');
      of(table).set(idOf(row), row);
    };
    const open = ({ position, recordedAt }: Moment, given: Loose): void => {
      const { subject, from, to, since, until } = historyOf(table);
      const last = end({ position, recordedAt }, { [subject]: given[subject] });
      insert({
        ...given,
        [from]: position,
        [to]: openPosition,
        [since]: Math.max(last, recordedAt),
        [until]: openTime,
      });
    };
    /** Ends what is open of it, and answers when that began at the latest. */
    const end = ({ position, recordedAt }: Moment, where: Loose, clamped = true): number => {
      const { to, since, until } = historyOf(table);
      let latest = 0;
      for (const id of matching({ ...where, [to]: openPosition })) {
        const row = of(table).get(id);
        latest = clamped ? Math.max(latest, Number(row?.[since])) : 0;
        change(id, { [to]: Number(position), [until]: Math.max(latest, recordedAt) });
      }
      return latest;
    };
    const ofSubject = (id: string): Loose => ({ [historyOf(table).subject]: id });
    return {
      insert,
      put: (row, changes) => {
        if (of(table).has(idOf(store(row)))) change(idOf(store(row)), store(changes));
        else insert(row);
      },
      open,
      revise: (moment, id, changes, otherwise) => {
        const [known] = matching({ ...ofSubject(id), [historyOf(table).to]: openPosition });
        const row = known === undefined ? undefined : of(table).get(known);
        if (row === undefined) {
          if (otherwise) open(moment, otherwise);
        } else if (Object.entries(store(changes)).some(([name, value]) => row[name] !== value)) {
          const { from, to, since, until } = historyOf(table);
          const next = { ...row, ...store(changes) };
          for (const name of [from, to, since, until]) delete next[name];
          open(moment, restored(table, next));
        }
      },
      close: (moment, id) => void end(moment, ofSubject(id)),
      closeWhere: (moment, where) => void end(moment, where, false),
      patch: (key, changes) => change(keyed(key), store(changes)),
      increment: (key, column, by) => {
        const row = of(table).get(keyed(key));
        const name = String(column);
        if (row !== undefined) row[name] = Number(row[name]) + by;
      },
      remove: (key) => removeRow(table, keyed(key)),
      patchWhere: (where, changes) => {
        for (const id of matching(where)) change(id, store(changes));
      },
      removeWhere: (where) => {
        for (const id of matching(where)) removeRow(table, id);
      },
    };
  };

  for (const event of events) {
    const decoded = decode(event);
    if (decoded === undefined) continue;
    for (const table of parentsFirst(tables)) {
      table.handlerOf(event.type, decoded.meta.category)?.(decoded, writer(table));
    }
  }
  return new Map(tables.map((table) => [table.name, finished(table, [...of(table).values()])]));
};

/** A stored row as a handler would give it: JSON is a value there. */
const restored = (table: AnyTable, row: Row): Loose =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const isJson = table.columns[name]?.shape.kind === 'json' && typeof value === 'string';
      return [name, isJson ? JSON.parse(value) : value];
    }),
  );

/** Adds what is computed from the other columns, and sorts. */
const finished = (table: AnyTable, rows: readonly Row[]): Row[] => {
  const heads = new Map<StoredValue | undefined, { sequence: number; hash: string }>();
  const complete = rows.map((row) => {
    const full = { ...row };
    for (const [name, generated] of Object.entries(table.generated)) {
      const applies = Object.entries(generated.when).every(([column, values]) => values?.includes(String(row[column])));
      full[name] = applies ? (row[generated.column] ?? null) : null;
    }
    if (table.chain !== undefined) {
      const { by, sequence, previous, hash } = table.chain;
      const head = heads.get(row[by]) ?? { sequence: 0, hash: '' };
      full[sequence] = head.sequence + 1;
      full[previous] = head.hash;
      full[hash] = chainHash(table, head.hash, full);
      heads.set(row[by], { sequence: head.sequence + 1, hash: String(full[hash]) });
    }
    return full;
  });
  return sorted(table, complete);
};

const sorted = (table: AnyTable, rows: readonly Row[]): Row[] => {
  const keyOf = (row: Row): string => JSON.stringify(table.primaryKey.map((name) => row[name]));
  return [...rows].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
};

/** All rows of all tables as the database has them. */
export const tableContents = async (
  database: SqlDatabase,
  tables: readonly AnyTable[],
): Promise<Map<string, Row[]>> => {
  const contents = new Map<string, Row[]>();
  for (const table of tables) {
    const rows: Row[] = [];
    for await (const row of rowsOf(database.session, database, table)) rows.push({ ...row });
    contents.set(table.name, sorted(table, rows));
  }
  return contents;
};
