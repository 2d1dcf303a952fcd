import { z } from 'zod';
import { answerOf, createClient } from '../../client/index.ts';
import { usage } from '../failure.ts';
import { remoteCommand } from './remote.ts';
import { findServer } from './server.ts';
import { findWorkspace } from './target.ts';

const args = z.object({
  name: z.string(),
  slug: z.string().optional(),
  workspace: z.string().default(''),
  url: z.string().optional(),
});

export const run = remoteCommand(args, async ({ name, slug: given, workspace, url: givenUrl }, cli) => {
  const slug = given ?? slugOf(name);
  if (slug === '') throw usage(`No short name follows from "${name}".`, 'Give one with --slug.');
  const { url, token } = await findServer(cli, givenUrl);
  const client = createClient({ url, token });
  const workspaceId = await findWorkspace(cli, client, workspace);
  const department = await answerOf(
    client.POST('/workspaces/{workspaceId}/departments', {
      params: { path: { workspaceId } },
      body: { name, slug },
      signal: cli.signal,
    }),
  );
  cli.answer({ ok: true, department }, `Created department ${department.slug} (${department.id}).`);
});

const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '');
