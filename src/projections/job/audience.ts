import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { typesHiddenFrom } from '../../domain/resource/index.ts';
import type { Role } from '../../domain/roles.ts';

/** Jobs that this role may see, by a column with their kind: the same as `maySeeJob`. Undefined: all of them. */
export const jobsFor = (role: Role, column: string): RawBuilder<SqlBool> | undefined => {
  const hidden = typesHiddenFrom(role);
  const conditions = hidden.map((type) => sql`${sql.ref(column)} not like ${`${type}.%`}`);
  return hidden.length === 0 ? undefined : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
};
