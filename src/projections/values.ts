import { type Expression, type SqlBool, sql } from 'kysely';
import type { PinnedSecret } from '../domain/edgeWorker/index.ts';

/** Reads JSON that a handler of this program wrote; what is not there is empty. */
const parse = (json: string | null): unknown => (json === null || json === '' ? undefined : JSON.parse(json));

const isString = (value: unknown): value is string => typeof value === 'string';

export const parseStrings = (json: string | null): readonly string[] => {
  const value = parse(json);
  return Array.isArray(value) ? value.filter(isString) : [];
};

export const parseStringMap = (json: string | null): Readonly<Record<string, string>> => {
  const value = parse(json);
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => isString(entry[1])));
};

const isPinnedSecret = (value: unknown): value is PinnedSecret =>
  typeof value === 'object' && value !== null && 'name' in value && 'version' in value && 'digest' in value;

export const parsePinnedSecrets = (json: string | null): readonly PinnedSecret[] => {
  const value = parse(json);
  return Array.isArray(value) ? value.filter(isPinnedSecret) : [];
};

export const parseSchedules = (
  json: string | null,
): readonly { readonly cron: string; readonly timeZone: string }[] => {
  const value = parse(json);
  return Array.isArray(value) ? value.flatMap((each: unknown) => scheduleOf(each)) : [];
};

const scheduleOf = (value: unknown): readonly { readonly cron: string; readonly timeZone: string }[] => {
  if (typeof value !== 'object' || value === null || !('cron' in value) || !('timeZone' in value)) return [];
  const { cron, timeZone } = value;
  return isString(cron) && isString(timeZone) ? [{ cron, timeZone }] : [];
};

export const parseAny = (json: string | null): unknown => parse(json) ?? null;

/** Rows whose JSON list of departments names one of these. The ids are compared as text, between their quotes. */
export const withinDepartments = (column: string, departmentIds: readonly string[]): Expression<SqlBool> => {
  const names = departmentIds.map(
    (id) => sql<SqlBool>`${sql.ref(column)} like ${`%"${id.replaceAll(/[%_\\]/g, '')}"%`}`,
  );
  return names.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`(${sql.join(names, sql` or `)})`;
};
