import { z } from 'zod';
import { done } from '../../client/index.ts';
import { remoteCommand } from './remote.ts';
import { findTarget, targetArgs } from './target.ts';

const args = targetArgs.extend({ name: z.string(), force: z.boolean().default(false) });

export const run = remoteCommand(args, async ({ name, force, ...where }, cli) => {
  const { client, path } = await findTarget(cli, where);
  await done(
    client.DELETE('/workspaces/{workspaceId}/departments/{departmentId}/worker/secrets/{name}', {
      params: { path: { ...path, name }, query: force ? { force: 'true' } : {} },
      signal: cli.signal,
    }),
  );
  cli.answer({ ok: true, name }, `${name} is removed, with all its versions.`);
});
