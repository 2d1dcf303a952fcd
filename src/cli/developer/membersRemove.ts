import { z } from 'zod';
import { createClient, done } from '../../client/index.ts';
import { Failure } from '../failure.ts';
import { allMembers } from './members.ts';
import { remoteCommand } from './remote.ts';
import { findServer } from './server.ts';
import { findWorkspace } from './target.ts';

const args = z.object({ email: z.string(), workspace: z.string().default(''), url: z.string().optional() });

export const run = remoteCommand(args, async ({ email, workspace, url: given }, cli) => {
  const { url, token } = await findServer(cli, given);
  const client = createClient({ url, token });
  const workspaceId = await findWorkspace(cli, client, workspace);
  const wanted = email.trim().toLowerCase();
  const members = await allMembers(cli, client, workspaceId);
  const member = members.find((each) => each.email === wanted || each.userId === wanted);
  if (!member) {
    const hint = 'Run "opslog members list" to see who is.';
    throw new Failure(`${email} is not a member of this workspace.`, { code: 'member_not_found', hint });
  }
  const { userId } = member;
  await done(
    client.DELETE('/workspaces/{workspaceId}/members/{userId}', {
      params: { path: { workspaceId, userId } },
      signal: cli.signal,
    }),
  );
  cli.answer({ ok: true, workspaceId, userId }, `Removed ${member.email}.`);
});
