import type { AnyTable } from '../table.ts';

/** Names of the tables that its foreign keys lead to. */
export const parentsOf = (table: AnyTable): string[] =>
  Object.values(table.foreignKeys)
    .map((key) => key.references)
    .filter((name) => name !== table.name);

/** Throws when a foreign key names something else than the primary key of a table of the set. */
const checkForeignKeys = (tables: readonly AnyTable[]): void => {
  const referable = tables.filter((table) => !table.appendOnly);
  const keys = new Map(referable.map((table) => [table.name, table.primaryKey.join()]));
  for (const table of tables) {
    for (const [name, { references, to }] of Object.entries(table.foreignKeys)) {
      if (keys.get(references) !== to.join()) throw new Error(`${name} does not name the primary key of ${references}`);
    }
  }
};

/** Parents before children. Throws when foreign keys run in a circle or lead to something that is not there. */
export const parentsFirst = (tables: readonly AnyTable[]): AnyTable[] => {
  checkForeignKeys(tables);
  const sorted: AnyTable[] = [];
  const placed = new Set<string>();
  let waiting = [...tables];
  while (waiting.length > 0) {
    const ready = waiting.filter((table) => parentsOf(table).every((name) => placed.has(name)));
    if (ready.length === 0) {
      throw new Error(`Foreign keys of ${waiting.map((table) => table.name).join(', ')} run in a circle`);
    }
    for (const table of ready) placed.add(table.name);
    sorted.push(...ready);
    waiting = waiting.filter((table) => !placed.has(table.name));
  }
  return sorted;
};

/** Names of tables from which a removal cascades. */
export const cascadingTables = (tables: readonly AnyTable[]): Set<string> =>
  new Set(tables.flatMap((table) => Object.values(table.foreignKeys).map((key) => key.references)));

/** Names of all tables below a table, over any number of foreign keys. */
export const dependentsOf = (name: string, tables: readonly AnyTable[]): Set<string> => {
  const found = new Set<string>();
  for (const table of parentsFirst(tables)) {
    if (parentsOf(table).some((parent) => parent === name || found.has(parent))) found.add(table.name);
  }
  return found;
};

/** The tables given and all that foreign keys join to them: they are rebuilt together or not at all. */
export const joinedTo = (names: ReadonlySet<string>, tables: readonly AnyTable[]): AnyTable[] => {
  const joined = new Set(names);
  for (let before = -1; before !== joined.size; ) {
    before = joined.size;
    for (const table of tables) {
      const family = [table.name, ...parentsOf(table)];
      if (family.some((name) => joined.has(name))) for (const name of family) joined.add(name);
    }
  }
  return tables.filter((table) => joined.has(table.name));
};
