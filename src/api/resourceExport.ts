import { z } from 'zod';
import type { Page, PageArgs } from '../projections/answers.ts';
import type { RelationAnswer, ResourceAnswer } from '../projections/resource/answers.ts';
import { rateExceeded, workspaceOperation } from './define.ts';
import { streamHeaders, writeTo } from './eventStream.ts';
import { noBody, type Operation } from './operation.ts';
import { viewOf } from './resourceGuard.ts';
import { showRelation, showResource } from './resourceModels.ts';

type Format = 'jsonl' | 'dot' | 'mermaid';

const mediaTypes: Readonly<Record<Format, string>> = {
  jsonl: 'application/x-ndjson',
  dot: 'text/vnd.graphviz; charset=utf-8',
  mermaid: 'text/plain; charset=utf-8',
};

/** More than anybody draws. */
export const exportLimits = { nodes: 10_000, edges: 50_000 } as const;

type Writer = {
  readonly head: string;
  node(row: ResourceAnswer, number: number): string;
  edge(row: RelationAnswer, source: number, target: number): string;
  end(counts: { readonly nodes: number; readonly edges: number; readonly cut: boolean }): string;
};

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
/** Mermaid knows entities by number, and takes almost every sign for one of its own. */
const entities = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{N} ._/:=@-]/gu, (sign) => `#${sign.codePointAt(0) ?? 0};`);
const ended = (cut: boolean): string =>
  cut ? `cut: more than ${exportLimits.nodes} resources or ${exportLimits.edges} relations` : 'complete';

const writers: Readonly<Record<Format, Writer>> = {
  jsonl: {
    head: '',
    node: (row) => line({ kind: 'resource', resource: showResource(row) }),
    edge: (row) => line({ kind: 'relation', relation: showRelation(row) }),
    end: ({ nodes, edges, cut }) => line({ kind: 'end', resources: nodes, relations: edges, cut }),
  },
  dot: {
    head: 'digraph resources {\n  node [shape=box];\n',
    node: ({ type, name }, number) => `  n${number} [label=${quoted(`${name}\n${type}`).replaceAll('\n', '\\n')}];\n`,
    edge: ({ type }, source, target) => `  n${source} -> n${target} [label=${quoted(type)}];\n`,
    end: ({ cut }) => `}\n// ${ended(cut)}\n`,
  },
  mermaid: {
    head: 'flowchart LR\n',
    node: ({ type, name }, number) => `  n${number}["${entities(name)} (${entities(type)})"]\n`,
    edge: ({ type }, source, target) => `  n${source} -->|${entities(type)}| n${target}\n`,
    end: ({ cut }) => `%% ${ended(cut)}\n`,
  },
};

/** Every row up to a limit, page by page; `isCut` is asked for when all were given. */
const upTo = <Row>(limit: number, ask: (page: PageArgs) => Promise<Page<Row>>) => {
  let isCut = false;
  const rows = async function* (): AsyncGenerator<Row> {
    let given = 0;
    for (let after: PageArgs['after']; ; ) {
      const page = await ask({ limit: Math.min(500, limit - given), after });
      yield* page.rows;
      given += page.rows.length;
      if (page.next === null) return;
      isCut = given >= limit;
      if (isCut) return;
      after = page.next;
    }
  };
  return { rows: rows(), isCut: () => isCut };
};

type Rows = {
  nodes(page: PageArgs): Promise<Page<ResourceAnswer>>;
  edges(page: PageArgs): Promise<Page<RelationAnswer>>;
};

async function* exported(format: Format, rows: Rows): AsyncGenerator<string> {
  const writer = writers[format];
  const numbers = new Map<string, number>();
  let edges = 0;
  yield writer.head;
  const nodes = upTo(exportLimits.nodes, (page) => rows.nodes(page));
  for await (const row of nodes.rows) {
    numbers.set(row.id, numbers.size);
    yield writer.node(row, numbers.size - 1);
  }
  const relations = upTo(exportLimits.edges, (page) => rows.edges(page));
  for await (const row of relations.rows) {
    const [source, target] = [numbers.get(row.sourceId), numbers.get(row.targetId)];
    if (source === undefined || target === undefined) continue;
    edges += 1;
    yield writer.edge(row, source, target);
  }
  yield writer.end({ nodes: numbers.size, edges, cut: nodes.isCut() || relations.isCut() });
}

const exportGraph = workspaceOperation(
  {
    id: 'exportResources',
    method: 'get',
    path: '/workspaces/{workspaceId}/resource-graph',
    tag: 'Resources',
    summary: 'The whole graph of a workspace, as a text',
    description:
      `JSON lines, Graphviz or Mermaid, of one moment whatever is written meanwhile. At most ${exportLimits.nodes} resources and ` +
      `${exportLimits.edges} relations; the last line says whether that was all.`,
    role: 'VIEWER',
    query: z.strictObject({
      format: z.enum(['jsonl', 'dot', 'mermaid']).default('jsonl'),
    }),
    body: noBody,
    success: {
      ...{ status: 200, description: 'The graph', schema: z.string() },
      ...{ mediaType: mediaTypes.jsonl, otherMediaTypes: ['text/vnd.graphviz', 'text/plain'] },
    },
    problems: ['WorkspaceNotFound'],
  },
  async ({ deps, request, who, makeBit, query: { format } }) => {
    const headers = { ...streamHeaders, 'Content-Type': mediaTypes[format] };
    if (request.method === 'HEAD') return { status: 200, body: '', headers };
    const { queries, view: seen } = viewOf(deps, who);
    // Before the slot is taken, which only the stream gives back.
    const view = { ...seen, moment: seen.moment ?? { position: await queries.graphPosition() } };
    const release = request.limiters.streams.take(who.workspaceId, `${who.caller.actor.kind}/${who.caller.actor.id}`);
    if (!release) return rateExceeded(10);
    const over = new AbortController();
    const signal = deps.streamsEnding ? AbortSignal.any([over.signal, deps.streamsEnding]) : over.signal;
    return {
      status: 200,
      body: '',
      headers,
      stream: async (response) => {
        response.once('close', () => over.abort());
        try {
          const chunks = exported(format, {
            nodes: (page) => makeBit(signal, () => queries.resources({ ...page, ...view })),
            edges: (page) => makeBit(signal, () => queries.relations({ ...page, ...view })),
          });
          let isHeard = true;
          for await (const chunk of chunks) {
            isHeard = await writeTo(response, chunk, signal);
            if (!isHeard) break;
          }
          if (isHeard) response.end();
          else response.destroy();
        } finally {
          release();
        }
      },
    };
  },
);

export const resourceExportOperations: readonly Operation[] = [exportGraph];
