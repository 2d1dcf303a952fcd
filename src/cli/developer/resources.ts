import { z } from 'zod';
import { answerOf, type components, createClient, done, type OpslogClient } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { Failure } from '../failure.ts';
import { plain } from '../paint.ts';
import { remoteCommand } from './remote.ts';
import { findServer } from './server.ts';
import { findWorkspace } from './target.ts';

type Resource = components['schemas']['Resource'];
type Relation = components['schemas']['ResourceRelation'];

const placeArgs = z.object({ workspace: z.string().default(''), url: z.string().optional() });
const atArgs = placeArgs.extend({ at: z.string().optional() });

type Place = { readonly client: OpslogClient; readonly workspaceId: string };

const findPlace = async (cli: Cli, { workspace, url: given }: z.output<typeof placeArgs>): Promise<Place> => {
  const { url, token } = await findServer(cli, given);
  const client = createClient({ url, token });
  return { client, workspaceId: await findWorkspace(cli, client, workspace) };
};

/** What was not given is not asked for. */
const given = <Fields extends Readonly<Record<string, string | undefined>>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined));

const lineOf = ({ id, type, kind, status, name, tags }: Resource): string => {
  const what = kind === null ? type : `${type}/${kind}`;
  return [id, what, status, name, ...tags.map((tag) => `#${tag}`)].map(plain).join('  ');
};

const listArgs = atArgs.extend({
  text: z.string().optional(),
  type: z.string().optional(),
  status: z.string().optional(),
  tag: z.string().optional(),
  provider: z.string().optional(),
});

export const list = remoteCommand(
  listArgs,
  async ({ text, type, status, tag: wanted, provider, at, ...where }, cli) => {
    const { client, workspaceId } = await findPlace(cli, where);
    const filter = given({ q: text, type, status, tag: wanted, provider, at });
    const resources: Resource[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: { limit: string; cursor?: string } = { limit: '200', ...filter, ...(cursor !== '' && { cursor }) };
      const page: { items: Resource[]; next: string | null } = await answerOf(
        client.GET('/workspaces/{workspaceId}/resources', {
          params: { path: { workspaceId }, query },
          signal: cli.signal,
        }),
      );
      resources.push(...page.items);
      cursor = page.next;
    }
    cli.answer({ ok: true, resources }, resources.map(lineOf).join('\n') || 'Nothing was found.');
  },
);

const arrowOf = ({ sourceId, type, targetId, madeBy }: Relation): string =>
  `${sourceId} --${plain(type)}--> ${targetId}${madeBy === 'hand' ? '' : '  (by a feature)'}`;

export const show = remoteCommand(atArgs.extend({ resource: z.string() }), async ({ resource, at, ...where }, cli) => {
  const { client, workspaceId } = await findPlace(cli, where);
  const params = { path: { workspaceId, resourceId: resource }, query: given({ at }) };
  const found = await answerOf(
    client.GET('/workspaces/{workspaceId}/resources/{resourceId}', { params, signal: cli.signal }),
  );
  const notes = Object.entries(found.metadata).map(([name, value]) => `  ${plain(name)}: ${plain(String(value))}`);
  const lines = [lineOf(found), ...(found.detail === null ? [] : [`  ${plain(found.detail)}`]), ...notes];
  cli.answer({ ok: true, resource: found }, [...lines, ...found.relations.map(arrowOf)].join('\n'));
});

const graphArgs = atArgs.extend({
  resource: z.string(),
  depth: z.string().optional(),
  direction: z.enum(['out', 'in', 'both']).optional(),
  types: z.string().optional(),
});

export const graph = remoteCommand(graphArgs, async ({ resource, depth, direction, types, at, ...where }, cli) => {
  const { client, workspaceId } = await findPlace(cli, where);
  const query = { ...given({ depth, types, at }), ...(direction && { direction }) };
  const params = { path: { workspaceId, resourceId: resource }, query };
  const found = await answerOf(
    client.GET('/workspaces/{workspaceId}/resources/{resourceId}/graph', { params, signal: cli.signal }),
  );
  const nodes = found.nodes.map((node) => `${'  '.repeat(node.distance)}${lineOf(node)}`);
  const cut = found.cut === null ? [] : [`There is more: the walk ended at its bound of ${found.cut}.`];
  cli.answer({ ok: true, ...found }, [...nodes, ...found.edges.map(arrowOf), ...cut].join('\n'));
});

const tagArgs = placeArgs.extend({
  resource: z.string(),
  tags: z.array(z.string()),
  remove: z.boolean().default(false),
});

export const tag = remoteCommand(tagArgs, async ({ resource, tags, remove, ...where }, cli) => {
  const { client, workspaceId } = await findPlace(cli, where);
  const options = { params: { path: { workspaceId, resourceId: resource } }, body: { tags }, signal: cli.signal };
  const tagged = await answerOf(
    remove
      ? client.POST('/workspaces/{workspaceId}/resources/{resourceId}/untag', options)
      : client.POST('/workspaces/{workspaceId}/resources/{resourceId}/tag', options),
  );
  cli.answer({ ok: true, ...tagged }, tagged.tags.map((each) => `#${plain(each)}`).join('  ') || 'No tags.');
});

const relateArgs = placeArgs.extend({
  source: z.string(),
  type: z.string(),
  target: z.string(),
  remove: z.boolean().default(false),
});

export const relate = remoteCommand(relateArgs, async ({ source, type, target, remove, ...where }, cli) => {
  const place = await findPlace(cli, where);
  if (remove) return endRelation(cli, place, { source, type, target });
  const related = await answerOf(
    place.client.POST('/workspaces/{workspaceId}/resource-relations', {
      params: { path: { workspaceId: place.workspaceId } },
      body: { sourceId: source, type, targetId: target },
      signal: cli.signal,
    }),
  );
  cli.answer({ ok: true, relation: related }, `${source} --${plain(type)}--> ${target}`);
});

const endRelation = async (
  cli: Cli,
  { client, workspaceId }: Place,
  { source, type, target }: { readonly source: string; readonly type: string; readonly target: string },
): Promise<void> => {
  const relations: Relation[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = { resourceId: source, type, limit: '200', ...(cursor !== '' && { cursor }) };
    const page: { items: Relation[]; next: string | null } = await answerOf(
      client.GET('/workspaces/{workspaceId}/resource-relations', {
        params: { path: { workspaceId }, query },
        signal: cli.signal,
      }),
    );
    relations.push(...page.items);
    cursor = page.next;
  }
  const found = relations.find(({ sourceId, targetId }) => sourceId === source && targetId === target);
  if (!found) {
    throw new Failure('There is no such relation.', {
      code: 'resource_relation_not_found',
      hint: 'See "opslog resources show" for those that there are.',
    });
  }
  await done(
    client.DELETE('/workspaces/{workspaceId}/resource-relations/{relationId}', {
      params: { path: { workspaceId, relationId: found.id } },
      signal: cli.signal,
    }),
  );
  cli.answer({ ok: true, relation: null }, `${source} no longer ${plain(type)} ${target}`);
};

const exportArgs = atArgs.extend({ format: z.enum(['jsonl', 'dot', 'mermaid']).default('jsonl') });

export const exported = remoteCommand(exportArgs, async ({ format, at, ...where }, cli) => {
  const { client, workspaceId } = await findPlace(cli, where);
  const params = { path: { workspaceId }, query: { format, ...given({ at }) } };
  const text = await answerOf(
    client.GET('/workspaces/{workspaceId}/resource-graph', { params, parseAs: 'text', signal: cli.signal }),
  );
  if (cli.json) cli.answer({ ok: true, format, text }, '');
  else cli.out(text);
});
