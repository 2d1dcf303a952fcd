import { findSubject, type Subject } from '../commands/subjects.ts';
import { atLeast } from '../domain/roles.ts';
import type { Queries } from '../projections/queries.ts';
import type { GraphView } from '../projections/resource/view.ts';
import type { ApiDeps } from './deps.ts';
import { isId, type Membership, needAllDepartments, readerOf } from './guard.ts';
import { type Refusal, refuse } from './problem.ts';

export const noResource = refuse('ResourceNotFound', 'There is no such resource in this workspace.');

/** The graph as this caller may see it. Its tables keep what was, so that a look back needs none of their past. */
export const viewOf = ({ queries, asOf }: ApiDeps, who: Membership): { queries: Queries; view: GraphView } => {
  const seen = readerOf(who);
  return asOf
    ? { queries: asOf.present, view: { ...seen, moment: { position: asOf.position } } }
    : { queries, view: { ...seen, moment: undefined } };
};

/** The same as what the tables show: `nodeInView` of src/projections/resource/view.ts. */
const maySee = ({ role, departmentIds }: Membership, subject: Subject): boolean => {
  if (!atLeast(role, subject.readerRole)) return false;
  if (departmentIds.length === 0) return true;
  return subject.departmentId === '' ? subject.audience === 'members' : departmentIds.includes(subject.departmentId);
};

/** From the log. What the caller may not see answers like what never was. */
export const enterResource = async (
  { aggregates }: ApiDeps,
  who: Membership,
  id: string,
): Promise<Subject | Refusal<'ResourceNotFound'>> => {
  if (!isId(id)) return noResource;
  const subject = await findSubject(aggregates, who.workspaceId, id);
  return subject !== undefined && maySee(who, subject) ? subject : noResource;
};

/** What is of the whole workspace is not for those to change who are limited to some departments. */
export const mayChange = (who: Membership, { departmentId }: Pick<Subject, 'departmentId'>) =>
  departmentId === '' ? needAllDepartments(who) : undefined;
