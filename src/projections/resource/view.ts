import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { atLeast, roles } from '../../domain/roles.ts';
import type { Reader } from '../answers.ts';
import { at } from '../table.ts';

/** Whose graph is looked at, by whom, and as of when: now, a time, or a position in the log. */
export type GraphView = Reader & {
  readonly workspaceId: string;
  readonly moment?: { readonly at: number } | { readonly position: number } | undefined;
};

/** Rows of resources, current ones or versions, under a short name. */
export const nodesOf = ({ moment }: GraphView, alias: string): RawBuilder<unknown> =>
  sql`${sql.table(moment === undefined ? 'resources' : 'resource_versions')} as ${sql.id(alias)}`;

export const edgesOf = ({ moment }: GraphView, alias: string): RawBuilder<unknown> =>
  sql`${sql.table(moment === undefined ? 'resource_relations' : 'resource_relation_versions')} as ${sql.id(alias)}`;

const wasThere = ({ moment }: GraphView, alias: string): RawBuilder<SqlBool> => {
  if (moment === undefined) return sql<SqlBool>`1 = 1`;
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return 'at' in moment
    ? sql<SqlBool>`${column('valid_since')} <= ${at(moment.at)} and ${column('valid_until')} > ${at(moment.at)}`
    : sql<SqlBool>`${column('valid_from')} <= ${moment.position} and ${column('valid_to')} > ${moment.position}`;
};

/** Of this tenant, at this time. */
export const edgeInView = (view: GraphView, alias: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.ref(`${alias}.workspace_id`)} = ${view.workspaceId} and ${wasThere(view, alias)}`;

/** Of this tenant, at this time, and to be seen by this caller. */
export const nodeInView = (view: GraphView, alias: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`${edgeInView(view, alias)} and ${seenBy(view, alias)}`;

/** Rows of resources that this reader may see, of whatever tenant and time. */
export const seenBy = (view: Reader, alias: string): RawBuilder<SqlBool> => {
  const within = roles.filter((each) => atLeast(view.role, each));
  return sql<SqlBool>`${sql.ref(`${alias}.reader_role`)} in (${sql.join(within)}) and ${inScope(view, alias)}`;
};

const inScope = ({ departmentIds }: Reader, alias: string): RawBuilder<SqlBool> => {
  if (departmentIds === undefined) return sql<SqlBool>`1 = 1`;
  const department = sql.ref(`${alias}.department_id`);
  const everybodys = sql`(${department} = '' and ${sql.ref(`${alias}.audience`)} = 'members')`;
  return departmentIds.length === 0
    ? sql<SqlBool>`${everybodys}`
    : sql<SqlBool>`(${department} in (${sql.join([...departmentIds])}) or ${everybodys})`;
};

const node = (alias: string, names: readonly string[]): RawBuilder<unknown> =>
  sql.join(names.map((name) => sql`${sql.ref(`${alias}.${name}`)} as ${sql.id(name)}`));

const nodeNames = [
  ...['id', 'workspace_id', 'department_id', 'type', 'kind', 'name', 'provider', 'status', 'detail', 'metadata'],
  ...['tags', 'created_at'],
];

export const nodeColumns = ({ moment }: GraphView, alias: string): RawBuilder<unknown> => {
  const changed = moment === undefined ? 'updated_at' : 'valid_since';
  return sql`${node(alias, nodeNames)}, ${sql.ref(`${alias}.${changed}`)} as changed_at`;
};

export const edgeColumns = (alias: string): RawBuilder<unknown> =>
  node(alias, ['id', 'source_id', 'type', 'target_id', 'made_by', 'created_at']);

/** Text to look for, with what `like` takes for a pattern taken literally. Goes with `escape '!'`. */
export const likeText = (text: string): string => `%${text.replaceAll(/[!%_]/g, '!$&')}%`;
