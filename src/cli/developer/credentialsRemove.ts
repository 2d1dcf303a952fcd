import { z } from 'zod';
import { done } from '../../client/index.ts';
import { findCredential, findVaulted, workspaceArgs } from './credentials.ts';
import { remoteCommand } from './remote.ts';

const args = workspaceArgs.extend({ credential: z.string() });

export const run = remoteCommand(args, async ({ credential: wanted, ...where }, cli) => {
  const vaulted = await findVaulted(cli, where);
  const { id, name } = await findCredential(cli, vaulted, wanted);
  await done(
    vaulted.client.DELETE('/workspaces/{workspaceId}/credentials/{credentialId}', {
      params: { path: { ...vaulted.path, credentialId: id } },
      signal: cli.signal,
    }),
  );
  cli.answer({ ok: true, id, name }, `${name} is deleted, and its keys with it.`);
});
