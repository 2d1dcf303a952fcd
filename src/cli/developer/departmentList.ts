import { z } from 'zod';
import { answerOf, createClient } from '../../client/index.ts';
import { plain } from '../paint.ts';
import { remoteCommand } from './remote.ts';
import { findServer } from './server.ts';
import { everything, findWorkspace } from './target.ts';

const args = z.object({ workspace: z.string().default(''), url: z.string().optional() });

export const run = remoteCommand(args, async ({ workspace, url: given }, cli) => {
  const { url, token } = await findServer(cli, given);
  const client = createClient({ url, token });
  const workspaceId = await findWorkspace(cli, client, workspace);
  const departments = await everything((cursor) =>
    answerOf(
      client.GET('/workspaces/{workspaceId}/departments', {
        params: { path: { workspaceId }, query: { limit: '200', ...cursor } },
        signal: cli.signal,
      }),
    ),
  );
  const width = Math.max(0, ...departments.map(({ slug }) => slug.length));
  const lines = departments.map(({ slug, id, name }) => `${slug.padEnd(width)}  ${id}  ${plain(name)}`);
  cli.answer({ ok: true, workspaceId, departments }, lines.join('\n') || 'There is no department yet.');
});
