import { z } from 'zod';
import { createClient } from '../../client/index.ts';
import { plain } from '../paint.ts';
import { allMembers } from './members.ts';
import { remoteCommand } from './remote.ts';
import { findServer } from './server.ts';
import { findWorkspace } from './target.ts';

const args = z.object({ workspace: z.string().default(''), url: z.string().optional() });

export const run = remoteCommand(args, async ({ workspace, url: given }, cli) => {
  const { url, token } = await findServer(cli, given);
  const client = createClient({ url, token });
  const workspaceId = await findWorkspace(cli, client, workspace);
  const members = await allMembers(cli, client, workspaceId);
  const lines = members.map(({ role, email, displayName, departmentIds }) => {
    const where = departmentIds.length === 0 ? '' : `  in ${departmentIds.join(', ')}`;
    return `${role.padEnd(6)}  ${plain(email)}  ${plain(displayName)}${where}`;
  });
  cli.answer({ ok: true, workspaceId, members }, lines.join('\n'));
});
