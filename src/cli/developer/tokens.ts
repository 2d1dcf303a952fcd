import { z } from 'zod';
import { answerOf, type components, done } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { plain } from '../paint.ts';
import { remoteCommand } from './remote.ts';
import { findDepartment } from './target.ts';
import { findWorkspaceTarget, workspaceArgs } from './workspaceTarget.ts';

type ApiToken = components['schemas']['ApiToken'];
type Reached = Awaited<ReturnType<typeof findWorkspaceTarget>>;

const allTokens = async ({ signal }: Cli, { client, path }: Reached): Promise<readonly ApiToken[]> => {
  const tokens: ApiToken[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: { limit: string; cursor?: string } = { limit: '200', ...(cursor !== '' && { cursor }) };
    const page: { items: ApiToken[]; next: string | null } = await answerOf(
      client.GET('/workspaces/{workspaceId}/api-tokens', { params: { path, query }, signal }),
    );
    tokens.push(...page.items);
    cursor = page.next;
  }
  return tokens;
};

const lineOf = ({ id, role, name, departmentId, expiresAt, expiresSoon, lastUsedAt }: ApiToken): string =>
  [
    `${id}  ${role.padEnd(6)}  ${plain(name)}`,
    ...(departmentId === null ? [] : [`in ${departmentId}`]),
    expiresAt === null ? 'never ends' : `ends ${expiresAt}${expiresSoon ? ', soon' : ''}`,
    lastUsedAt === null ? 'never used' : `used ${lastUsedAt}`,
  ].join('  ');

export const list = {
  run: remoteCommand(workspaceArgs, async (args, cli) => {
    const tokens = await allTokens(cli, await findWorkspaceTarget(cli, args));
    cli.answer({ ok: true, tokens }, tokens.length === 0 ? 'No API tokens.' : tokens.map(lineOf).join('\n'));
  }),
};

const addArgs = workspaceArgs.extend({
  name: z.string(),
  role: z.enum(['OWNER', 'ADMIN', 'MEMBER', 'VIEWER']).default('MEMBER'),
  department: z.string().optional(),
  days: z.coerce.number().int().min(1).max(3650).default(90),
});

export const add = {
  run: remoteCommand(addArgs, async ({ name, role, department, days, ...where }, cli) => {
    const { client, path } = await findWorkspaceTarget(cli, where);
    const departmentId =
      department === undefined ? undefined : await findDepartment(cli, client, path.workspaceId, department);
    const body = { name, role, expiresInDays: days, ...(departmentId !== undefined && { departmentId }) };
    const issued = await answerOf(
      client.POST('/workspaces/{workspaceId}/api-tokens', { params: { path }, body, signal: cli.signal }),
    );
    cli.note(`Token ${issued.id} of workspace ${path.workspaceId}, until ${issued.expiresAt}; shown this once:`);
    cli.answer({ ok: true, token: issued }, issued.token);
  }),
};

export const revoke = {
  run: remoteCommand(workspaceArgs.extend({ token: z.string() }), async ({ token, ...where }, cli) => {
    const { client, path } = await findWorkspaceTarget(cli, where);
    await done(
      client.DELETE('/workspaces/{workspaceId}/api-tokens/{tokenId}', {
        ...{ params: { path: { ...path, tokenId: token } }, signal: cli.signal },
      }),
    );
    cli.answer({ ok: true, tokenId: token }, 'Revoked.');
  }),
};
