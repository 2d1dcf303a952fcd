import { z } from 'zod';
import { answerOf, type components } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { plain } from '../paint.ts';
import { remoteCommand } from './remote.ts';
import { auditFilters, findWorkspaceTarget, given, workspaceArgs } from './workspaceTarget.ts';

const args = workspaceArgs.extend(auditFilters.shape).extend({
  limit: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a number from 1 to 999999')
    .default('50')
    .transform(Number),
});

type Entry = components['schemas']['AuditEntry'];

export const run = remoteCommand(args, async ({ workspace, url, limit, ...filters }, cli) => {
  const { client, path } = await findWorkspaceTarget(cli, { workspace, url });
  let left = limit;
  for (let cursor: string | null = ''; cursor !== null && left > 0; ) {
    const query: Record<string, string> = { ...given(filters), limit: String(Math.min(left, 200)) };
    if (cursor !== '') query['cursor'] = cursor;
    const page: { items: Entry[]; next: string | null } = await answerOf(
      client.GET('/workspaces/{workspaceId}/audit', { params: { path, query }, signal: cli.signal }),
    );
    for (const entry of page.items) cli.answer(entry, lineOf(entry, cli));
    left -= page.items.length;
    cursor = page.next;
  }
});

const lineOf = (entry: Entry, { paint }: Cli): string => {
  const { createdAt, sequence, action, actor, resource, riskLevel, status, ip } = entry;
  const tint = status === 'success' ? (text: string) => text : paint.red;
  return [
    paint.dim(createdAt),
    String(sequence).padStart(7),
    tint(status.padEnd(7)),
    riskLevel.padEnd(6),
    plain(action),
    plain(`${resource.type}/${resource.id}`),
    plain(`${actor.type} ${actor.id ?? ''}`),
    plain(ip ?? ''),
  ].join('  ');
};
