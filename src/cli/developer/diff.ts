import { z } from 'zod';
import { answerOf, type components } from '../../client/index.ts';
import { clip } from '../../domain/kernel.ts';
import type { Cli } from '../cli.ts';
import { plain } from '../paint.ts';
import { remoteCommand } from './remote.ts';
import { findWorkspaceTarget, given, workspaceArgs } from './workspaceTarget.ts';

const args = workspaceArgs.extend({
  from: z.string().optional(),
  to: z.string().optional(),
  type: z.string().optional(),
  actor: z.string().optional(),
  department: z.string().optional(),
});

type Page = components['schemas']['WorkspaceDiff'];
type Thing = components['schemas']['ChangedThing'];

export const run = remoteCommand(args, async ({ workspace, url, from, to, type, actor, department }, cli) => {
  const { client, path } = await findWorkspaceTarget(cli, { workspace, url });
  let count = 0;
  let until = to;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const filters = given({ from, to: until, type, actorId: actor, departmentId: department });
    const query: Record<string, string> = { ...filters, limit: '50', ...(cursor !== '' && { cursor }) };
    const page: Page = await answerOf(
      client.GET('/workspaces/{workspaceId}/diff', { params: { path, query }, signal: cli.signal }),
    );
    // Every page is of the same two times.
    until = page.to.at;
    for (const thing of page.items) cli.answer(thing, textOf(thing, cli));
    count += page.items.length;
    cursor = page.next;
  }
  if (count === 0) cli.note('Nothing changed.');
});

const signs = { created: '+', removed: '-', changed: '~', cameAndWent: '±' } as const;

const textOf = ({ type, id, name, change, fields, relations, facts, factCount }: Thing, { paint }: Cli): string => {
  const tint = change === 'created' ? paint.green : change === 'removed' ? paint.red : paint.bold;
  const related = [
    ...relations.added.map((each) => `    + ${each.type} ${each.sourceId} -> ${each.targetId}`),
    ...relations.removed.map((each) => `    - ${each.type} ${each.sourceId} -> ${each.targetId}`),
  ];
  const left = factCount - facts.length;
  return [
    `${tint(`${signs[change]} ${type} ${plain(name)}`)}  ${paint.dim(plain(id))}`,
    ...fields.map(({ field, before, after, replaced }) =>
      replaced ? `    ${plain(field)}: replaced` : `    ${plain(field)}: ${shown(before)} -> ${shown(after)}`,
    ),
    ...related,
    ...(left > 0 ? [paint.dim(`    … ${left} earlier facts`)] : []),
    ...facts.map(({ at, event, actor, requestId }) =>
      paint.dim(`    ${at}  ${event}  ${plain(`${actor.type} ${actor.id}`)}  ${plain(requestId ?? '')}`),
    ),
  ].join('\n');
};

const shown = (value: unknown): string => {
  if (value === null || value === undefined) return '(none)';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return plain(text.length > 120 ? `${clip(text, 119)}…` : text);
};
