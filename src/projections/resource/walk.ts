import { type SqlBool, sql } from 'kysely';
import type { ReadDatabase } from '../schema.ts';
import {
  type EdgeRow,
  type NodeRow,
  type RelationAnswer,
  type ResourceAnswer,
  relationAnswerOf,
  resourceAnswerOf,
} from './answers.ts';
import { findResource } from './resourceList.ts';
import { edgeInView, edgesOf, type GraphView, nodeColumns, nodeInView, nodesOf } from './view.ts';

export type WalkArgs = GraphView & {
  readonly resourceId: string;
  /** Edges from the start at most, 8 or fewer. */
  readonly depth: number;
  /** `out` follows edges from source to target. */
  readonly direction: 'out' | 'in' | 'both';
  /** Types of edges to follow; all when undefined. */
  readonly types?: readonly string[] | undefined;
  readonly maxNodes: number;
  readonly maxEdges: number;
};

export type WalkAnswer = {
  /** In the order of their distance from the start, which comes first. */
  readonly nodes: readonly (ResourceAnswer & { readonly distance: number })[];
  /** Between the nodes, as far as they were followed. */
  readonly edges: readonly RelationAnswer[];
  /** The bound that ended the walk before it had seen everything within its depth. */
  readonly cut: 'nodes' | 'edges' | null;
};

/** Level by level from one resource. Undefined where the caller sees no such resource. */
export const walkGraph = async (db: ReadDatabase, args: WalkArgs): Promise<WalkAnswer | undefined> => {
  const start = await findResource(db, args);
  if (start === undefined) return undefined;
  const nodes = new Map([[start.id, { ...start, distance: 0 }]]);
  const edges = new Map<string, RelationAnswer>();
  let frontier: readonly string[] = [start.id];
  let cut: WalkAnswer['cut'] = null;
  for (let distance = 1; distance <= args.depth && frontier.length > 0 && cut === null; distance += 1) {
    const level = await stepFrom(db, args, frontier, edges.size);
    const next: string[] = [];
    for (const { edge, node } of level.steps) {
      if (!nodes.has(node.id)) {
        if (nodes.size >= args.maxNodes) {
          cut = 'nodes';
          continue;
        }
        nodes.set(node.id, { ...node, distance });
        next.push(node.id);
      }
      edges.set(edge.id, edge);
    }
    if (level.isCut && cut === null) cut = 'edges';
    frontier = next;
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()], cut };
};

type Step = { readonly edge: RelationAnswer; readonly node: ResourceAnswer };

/** Every edge that leaves these nodes, with the node at its other end; those known already are read again, and count. */
const stepFrom = async (
  db: ReadDatabase,
  args: WalkArgs,
  frontier: readonly string[],
  known: number,
): Promise<{ readonly steps: readonly Step[]; readonly isCut: boolean }> => {
  const steps: Step[] = [];
  let left = Math.max(1, args.maxEdges - known);
  for (const [near, far] of waysOf(args.direction)) {
    const rows = await edgesFrom(db, args, frontier, near, far, left + 1);
    for (const { edge_id, edge_type, edge_created_at, source_id, target_id, made_by, ...node } of rows.slice(0, left)) {
      const edge = { id: edge_id, type: edge_type, created_at: edge_created_at, source_id, target_id, made_by };
      steps.push({ edge: relationAnswerOf(edge), node: resourceAnswerOf(node) });
    }
    if (rows.length > left) return { steps, isCut: true };
    left -= rows.length;
    if (left <= 0) return { steps, isCut: args.direction === 'both' && near === 'source_id' };
  }
  return { steps, isCut: false };
};

type End = 'source_id' | 'target_id';

const waysOf = (direction: WalkArgs['direction']): readonly (readonly [near: End, far: End])[] => {
  const out = ['source_id', 'target_id'] as const;
  const back = ['target_id', 'source_id'] as const;
  if (direction === 'both') return [out, back];
  return direction === 'out' ? [out] : [back];
};

type Joined = NodeRow &
  Omit<EdgeRow, 'id' | 'type' | 'created_at'> & {
    readonly edge_id: string;
    readonly edge_type: string;
    readonly edge_created_at: number;
  };

const edgesFrom = async (
  db: ReadDatabase,
  view: WalkArgs,
  frontier: readonly string[],
  near: End,
  far: End,
  limit: number,
): Promise<readonly Joined[]> => {
  const ofTypes =
    view.types === undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`e.type in (${sql.join([...view.types])})`;
  const { rows } = await sql<Joined>`
    select e.id as edge_id, e.type as edge_type, e.created_at as edge_created_at, e.source_id, e.target_id, e.made_by,
      ${nodeColumns(view, 'r')}
    from ${edgesOf(view, 'e')}
    join ${nodesOf(view, 'r')} on r.id = ${sql.ref(`e.${far}`)} and ${nodeInView(view, 'r')}
    where ${edgeInView(view, 'e')} and ${sql.ref(`e.${near}`)} in (${sql.join([...frontier])}) and ${ofTypes}
    order by e.id limit ${sql.lit(limit)}`.execute(db);
  return rows;
};
