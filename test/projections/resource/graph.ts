import type { Queries } from '../../../src/projections/queries.ts';
import type { RelationAnswer, ResourceAnswer } from '../../../src/projections/resource/answers.ts';
import type { GraphView } from '../../../src/projections/resource/view.ts';

export type Graph = { readonly nodes: readonly object[]; readonly edges: readonly object[] };

/** The whole graph of a workspace, page by page, without when a node was last touched. */
export const graphOf = async (queries: Queries, view: GraphView): Promise<Graph> => {
  const nodes: ResourceAnswer[] = [];
  for (let after: { key: number; id: string } | undefined; ; ) {
    const page = await queries.resources({ ...view, limit: 7, after });
    nodes.push(...page.rows);
    if (page.next === null) break;
    after = page.next;
  }
  const edges: RelationAnswer[] = [];
  for (let after: { key: number; id: string } | undefined; ; ) {
    const page = await queries.relations({ ...view, limit: 7, after });
    edges.push(...page.rows);
    if (page.next === null) break;
    after = page.next;
  }
  return { nodes: nodes.map(({ updatedAt: _, ...node }) => node), edges };
};
