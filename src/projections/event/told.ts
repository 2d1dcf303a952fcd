import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { hiddenFrom } from '../../domain/publicEvent.ts';
import type { Reader } from '../answers.ts';
import { checkpointTable } from '../engine/checkpoints.ts';
import { jobsFor } from '../job/audience.ts';
import { seenBy } from '../resource/view.ts';

type Condition = RawBuilder<SqlBool>;

export const isIn = (column: string, values: readonly string[]): Condition =>
  values.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`(${sql.ref(column)} in (${sql.join([...values])}))`;

/** The facts of a resource, of its tags too, for whoever the graph shows it to. */
const resourceSeen = (reader: Reader): Condition => sql<SqlBool>`exists (
  select 1 from resource_versions as thing
  where thing.id = events.resource_id and thing.workspace_id = events.workspace_id and ${seenBy(reader, 'thing')})`;

/** Both ends, as for the relation itself. They have the same readers for good. `table`: where its facts are. */
export const relationSeen = (reader: Reader, table: 'events' | 'audit_logs'): Condition => sql<SqlBool>`exists (
  select 1 from resource_relation_versions as edge
  join resource_versions as source on source.id = edge.source_id and ${seenBy(reader, 'source')}
  join resource_versions as target on target.id = edge.target_id and ${seenBy(reader, 'target')}
  where edge.id = ${sql.ref(`${table}.resource_id`)} and edge.workspace_id = ${sql.ref(`${table}.workspace_id`)})`;

const jobSeen = ({ role }: Reader): readonly Condition[] => {
  const ofRole = jobsFor(role, 'job.kind');
  if (ofRole === undefined) return [];
  return [
    sql<SqlBool>`exists (
      select 1 from jobs as job
      where job.id = events.resource_id and job.workspace_id = events.workspace_id and ${ofRole})`,
  ];
};

/** Is there anything in a workspace that this reader does not see, beside what is of a category that is not for him? */
const isKeptOut = (reader: Reader): boolean =>
  reader.departmentIds !== undefined || jobsFor(reader.role, 'kind') !== undefined;

const whenOf = (category: string, seen: readonly Condition[]): readonly Condition[] =>
  seen.map((condition) => sql<SqlBool>`(events.resource_type <> ${category} or ${condition})`);

/**
 * Which rows of `events` a reader is told of. An event says what it is about by id alone: whether that is a webhook's
 * message, or a tag on a credential, is looked up where the graph and the jobs have it.
 */
export const toldTo = (reader: Reader): readonly Condition[] => {
  const { role, departmentIds } = reader;
  const hidden = hiddenFrom(role);
  const conditions: Condition[] = [];
  if (departmentIds !== undefined) conditions.push(isIn('events.department_id', departmentIds));
  if (hidden.length > 0) conditions.push(sql<SqlBool>`not ${isIn('events.resource_type', hidden)}`);
  if (!isKeptOut(reader)) return conditions;
  return [
    ...conditions,
    ...whenOf('job', jobSeen(reader)),
    ...whenOf('resource', [resourceSeen(reader)]),
    ...whenOf('resourceRelation', [relationSeen(reader, 'events')]),
  ];
};

const lookedUp = ['jobs', 'resource_versions', 'resource_relation_versions'] as const;

/** No further than the tables go in which it is looked up: one that is behind must hide nothing for good, and show nothing. */
export const knownUpTo = (reader: Reader): Condition =>
  isKeptOut(reader)
    ? sql<SqlBool>`events.position <= (
        select min(position) from ${sql.table(checkpointTable.name)} where name in (${sql.join([...lookedUp])}))`
    : sql<SqlBool>`1 = 1`;
