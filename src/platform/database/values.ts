/** One rule for whole numbers of 64 bits: a number while that is exact, else the decimal text. */
export const parseBigint = (text: string): number | string => {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
};

/** PostgreSQL writes `2026-01-31 12:00:00.5+00`. */
export const parsePostgresTimestamp = (text: string): number =>
  Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));

/** MySQL writes `2026-01-31 12:00:00.500`, in the session's zone, which is UTC. */
export const parseMysqlTimestamp = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`);

export const identity = (text: string): string => text;

/** Parsers by type oid, the same for the server and for PGlite. */
export const postgresParsers: Readonly<Record<number, (text: string) => unknown>> = {
  20: parseBigint,
  114: identity,
  1114: (text) => parsePostgresTimestamp(`${text}+00`),
  1184: parsePostgresTimestamp,
  1700: Number,
  3802: identity,
};
