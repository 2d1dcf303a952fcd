import type { AnyTable } from '../table.ts';

// PostgreSQL cuts names at 63 bytes, and the tables of a rebuild carry a suffix.
const longestName = 58;
const nameShape = /^[a-z][a-z0-9_]*$/;

/** Throws when a definition contradicts itself: a programming error, found at start-up. */
export const checkDefinition = (table: AnyTable): void => {
  const fail = (what: string): never => {
    throw new Error(`Table ${table.name}: ${what}`);
  };
  const constraints = [table.unique, table.indexes, table.checks, table.foreignKeys].flatMap((set) => Object.keys(set));
  const generated = Object.keys(table.generated);
  for (const name of [table.name, ...constraints, ...Object.keys(table.columns), ...generated]) {
    if (!nameShape.test(name) || name.length > longestName)
      fail(`the name ${name} is not lower snake_case of ${longestName}`);
  }
  if (new Set(constraints).size !== constraints.length) fail('two constraints have one name');
  if (table.primaryKey.length === 0) fail('it has no primary key');
  if (!Number.isInteger(table.version) || table.version < 1) fail('versions count from 1');

  const known = new Set([...Object.keys(table.columns), ...generated]);
  const named = [
    ...table.primaryKey,
    ...Object.values(table.unique).flat(),
    ...Object.values(table.indexes).flat(),
    ...Object.values(table.foreignKeys).flatMap((key) => key.columns),
    ...Object.values(table.generated).flatMap((column) => [column.column, ...Object.keys(column.when)]),
  ];
  for (const column of named) if (!known.has(column)) fail(`there is no column ${column}`);
  for (const name of table.primaryKey) {
    if (table.columns[name]?.nullable !== false) fail(`the key column ${name} may not be null`);
  }
  for (const [name, column] of Object.entries(table.checks)) {
    if (table.columns[column]?.shape.kind !== 'choice') fail(`${name} checks ${column}, which is no choice`);
  }
  for (const column of Object.values(table.generated)) {
    if (table.columns[column.column]?.shape.kind !== 'string') fail('a generated column copies a string');
  }
  if (table.appendOnly && Object.keys(table.foreignKeys).length > 0) fail('what is only added to has no foreign key');
  if (table.appendOnly && table.history !== undefined) fail('versions end, so they are not only added to');
  checkChain(table, fail);
  checkHistory(table, fail);
};

const checkHistory = (table: AnyTable, fail: (what: string) => never): void => {
  const { history, primaryKey, unique, columns } = table;
  if (history === undefined) return;
  const { subject, from, to, since, until } = history;
  if (primaryKey.join() !== `${subject},${from}`)
    fail('the key of a history is its subject and where a version begins');
  if (!Object.values(unique).some((each) => each.join() === `${subject},${to}`))
    fail('a history needs UNIQUE(subject, to)');
  for (const name of [from, to]) if (columns[name]?.shape.kind !== 'bigint') fail(`${name} is a position, a bigint`);
  for (const name of [since, until]) if (columns[name]?.shape.kind !== 'timestamp') fail(`${name} is a timestamp`);
};

const checkChain = (table: AnyTable, fail: (what: string) => never): void => {
  const { chain } = table;
  if (chain === undefined) return;
  const kindOf = (name: string): string | undefined => table.columns[name]?.shape.kind;
  if (kindOf(chain.by) !== 'string') fail('a chain is kept by a string column');
  if (kindOf(chain.sequence) !== 'bigint') fail('the sequence of a chain is a bigint');
  for (const name of [chain.previous, chain.hash]) {
    const shape = table.columns[name]?.shape;
    if (shape?.kind !== 'string' || shape.length < 64) fail(`the chain's ${name} is a string(64)`);
  }
  const numbered = Object.values(table.unique).some(
    (columns) => columns.length === 2 && columns[0] === chain.by && columns[1] === chain.sequence,
  );
  if (!numbered) fail('a chain needs UNIQUE(by, sequence)');
};
