import { z } from 'zod';
import { answerOf, createClient } from '../../client/index.ts';
import { remoteCommand } from './remote.ts';
import { findServer } from './server.ts';
import { findDepartment, findWorkspace } from './target.ts';

const args = z.object({
  email: z.string(),
  role: z.enum(['OWNER', 'ADMIN', 'MEMBER', 'VIEWER']).default('MEMBER'),
  department: z.string().optional(),
  days: z.coerce.number().int().min(1).max(30).default(7),
  workspace: z.string().default(''),
  url: z.string().optional(),
});

export const run = remoteCommand(args, async ({ email, role, department, days, workspace, url: given }, cli) => {
  const { url, token } = await findServer(cli, given);
  const client = createClient({ url, token });
  const workspaceId = await findWorkspace(cli, client, workspace);
  const departmentIds = department === undefined ? [] : [await findDepartment(cli, client, workspaceId, department)];
  const invitation = await answerOf(
    client.POST('/workspaces/{workspaceId}/invitations', {
      params: { path: { workspaceId } },
      body: { email, role, departmentIds, expiresInDays: days },
      signal: cli.signal,
    }),
  );
  cli.note(`Hand this token to ${invitation.email}, who runs "opslog join --url ${url}" by ${invitation.expiresAt}:`);
  cli.answer({ ok: true, invitation }, invitation.token);
});
