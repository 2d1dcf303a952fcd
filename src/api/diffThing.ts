import { isDeepStrictEqual } from 'node:util';
import { streamOf } from '../commands/envelope.ts';
import { isCategory } from '../domain/catalog.ts';
import { maskSecrets } from '../domain/masking.ts';
import type { StoredEvent } from '../platform/eventLog/port.ts';
import type { ChangedThing } from '../projections/past/changes.ts';
import type { RelationAnswer } from '../projections/resource/answers.ts';
import type { ApiDeps } from './deps.ts';
import type { Fact, Field, ShownChange } from './diffModels.ts';
import { type Membership, mayEnter, readerOf } from './guard.ts';
import { isoTime } from './models.ts';
import { isSealed, type PublicState, publicStates } from './publicStates.ts';
import { showRelation } from './resourceModels.ts';

export type Span = { readonly since: number; readonly upTo: number };

const maxFacts = 100;
const maxRelations = 200;

type Compared = {
  readonly category: string;
  readonly before: PublicState | undefined;
  readonly after: PublicState | undefined;
  readonly isNew: boolean;
  readonly facts: readonly Fact[];
};

const textOf = (metadata: StoredEvent['metadata'], name: string): string => {
  const value = metadata[name];
  return typeof value === 'string' ? value : '';
};

/** A stream may have been somebody else's before, or be of a department that the caller is kept out of. */
const isFor = ({ metadata }: StoredEvent, who: Membership): boolean => {
  if (textOf(metadata, 'workspaceId') !== who.workspaceId) return false;
  return who.departmentIds.length === 0 || mayEnter(who, textOf(metadata, 'departmentId'));
};

const factOf = ({ type, position, recordedAt, metadata }: StoredEvent): Fact => {
  const { actor } = metadata;
  const part = (name: 'kind' | 'id'): string => {
    const value: unknown = typeof actor === 'object' && actor !== null ? Reflect.get(actor, name) : undefined;
    return typeof value === 'string' ? value : '';
  };
  return {
    ...{ event: type, position: String(position), at: isoTime(recordedAt) },
    actor: { type: part('kind'), id: part('id') },
    requestId: textOf(metadata, 'requestId') || null,
    correlationId: textOf(metadata, '$correlationId') || null,
  };
};

/** One stream, folded up to both ends; undefined for what is not compared. */
const compare = async (
  { log }: ApiDeps,
  who: Membership,
  { since, upTo }: Span,
  category: string,
  id: string,
): Promise<Compared | undefined> => {
  const begin = isCategory(category) ? publicStates[category] : 'notCompared';
  if (begin === 'notCompared') return undefined;
  const folding = begin(id);
  const facts: Fact[] = [];
  let before: PublicState | undefined;
  let isNew = false;
  for await (const stored of log.readStream(streamOf(category, id))) {
    if (stored.position > BigInt(upTo)) break;
    if (!isFor(stored, who)) continue;
    if (stored.position > BigInt(since)) {
      if (facts.length === 0) before = folding.state();
      if (facts.length === 0) isNew = stored.revision === 0;
      facts.push(factOf(stored));
    }
    folding.add(stored);
  }
  if (facts.length === 0) before = folding.state();
  return { category, before: own(before, who), after: own(folding.state(), who), isNew, facts };
};

const own = (state: PublicState | undefined, who: Membership): PublicState | undefined =>
  state === undefined || state.workspaceId === '' || state.workspaceId === who.workspaceId ? state : undefined;

const shown = (value: unknown): unknown =>
  value === undefined || isSealed(value) ? null : maskSecrets(value, { maxStringLength: 2_000 });

const fieldsOf = ({ before, after }: Compared): readonly Field[] => {
  const [old, now] = [before?.fields ?? {}, after?.fields ?? {}];
  return (
    [...new Set([...Object.keys(old), ...Object.keys(now)])]
      // What is not there and what is null are shown alike.
      .filter((name) => !isDeepStrictEqual(old[name] ?? null, now[name] ?? null))
      .map((name) => ({
        ...{ field: name, before: shown(old[name]), after: shown(now[name]) },
        replaced: isSealed(old[name]) || isSealed(now[name]),
      }))
  );
};

const changeOf = ({ before, after, isNew }: Compared): ShownChange['change'] | undefined => {
  if (before && after) return 'changed';
  if (after) return 'created';
  if (before) return 'removed';
  return isNew ? 'cameAndWent' : undefined;
};

/** What became of one thing between two positions; undefined when the caller may see nothing of it. */
export const diffThing = async (
  deps: ApiDeps,
  who: Membership,
  span: Span,
  { id, categories }: ChangedThing,
): Promise<ShownChange | undefined> => {
  const all = await Promise.all(categories.map((category) => compare(deps, who, span, category, id)));
  const compared = all.filter((each) => each !== undefined);
  // Tags of a feature's thing are kept beside it.
  const main = compared.find(({ category }) => category !== 'resource') ?? compared[0];
  const graph = await graphOf(deps, who, span, id);
  const relations = await relationsOf(deps, graph.views, id);
  const tagged = main?.category === 'resource' && graph.found?.type !== 'custom' ? graph.found : undefined;
  const change = tagged || main === undefined ? graph.found && 'changed' : changeOf(main);
  if (change === undefined) return undefined;
  const state = tagged ? undefined : (main?.after ?? main?.before);
  const made = [...relations.added, ...relations.removed].filter(({ madeBy }) => madeBy === 'hand');
  const ofRelations = await Promise.all(made.map((each) => factsOfRelation(deps, who, span, each.id)));
  const facts = [...compared.flatMap((each) => each.facts), ...ofRelations.flat()].sort(
    (left, right) => Number(left.position) - Number(right.position),
  );
  if (facts.length === 0 && relations.added.length + relations.removed.length === 0) return undefined;
  return {
    type: tagged?.type ?? main?.category ?? graph.found?.type ?? '',
    id,
    name: state?.name ?? graph.found?.name ?? '',
    departmentId: (state?.departmentId ?? graph.found?.departmentId ?? '') || null,
    change,
    fields: compared.flatMap(fieldsOf),
    relations: {
      ...{ added: relations.added.map(showRelation), removed: relations.removed.map(showRelation) },
      cut: relations.cut,
    },
    facts: facts.slice(-maxFacts),
    factCount: facts.length,
  };
};

const graphOf = async ({ queries }: ApiDeps, who: Membership, { since, upTo }: Span, id: string) => {
  const seen = readerOf(who);
  const views = [since, upTo].map((position) => ({ ...seen, moment: { position } }));
  const found = await Promise.all(views.map((view) => queries.resource({ ...view, resourceId: id })));
  return { views, found: found[1] ?? found[0] };
};

const relationsOf = async (
  { queries }: ApiDeps,
  views: Awaited<ReturnType<typeof graphOf>>['views'],
  resourceId: string,
) => {
  const pages = await Promise.all(views.map((view) => queries.relations({ ...view, resourceId, limit: maxRelations })));
  const [old, now] = [pages[0]?.rows ?? [], pages[1]?.rows ?? []];
  const without = (some: readonly RelationAnswer[], others: readonly RelationAnswer[]) =>
    some.filter(({ id }) => !others.some((other) => other.id === id));
  return { added: without(now, old), removed: without(old, now), cut: pages.some(({ next }) => next !== null) };
};

/** Whoever sees both ends of a relation sees who made it. */
const factsOfRelation = async ({ log }: ApiDeps, who: Membership, { since, upTo }: Span, id: string) => {
  const facts: Fact[] = [];
  for await (const stored of log.readStream(streamOf('resourceRelation', id))) {
    if (stored.position > BigInt(upTo)) break;
    const isOurs = textOf(stored.metadata, 'workspaceId') === who.workspaceId;
    if (isOurs && stored.position > BigInt(since)) facts.push(factOf(stored));
  }
  return facts;
};
