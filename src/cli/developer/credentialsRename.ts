import { z } from 'zod';
import { answerOf } from '../../client/index.ts';
import { findCredential, findVaulted, workspaceArgs } from './credentials.ts';
import { remoteCommand } from './remote.ts';

const args = workspaceArgs.extend({ credential: z.string(), name: z.string() });

export const run = remoteCommand(args, async ({ credential: wanted, name, ...where }, cli) => {
  const vaulted = await findVaulted(cli, where);
  const found = await findCredential(cli, vaulted, wanted);
  const credential = await answerOf(
    vaulted.client.POST('/workspaces/{workspaceId}/credentials/{credentialId}/rename', {
      params: { path: { ...vaulted.path, credentialId: found.id } },
      body: { name },
      signal: cli.signal,
    }),
  );
  cli.answer({ ok: true, credential }, `${found.name} is now ${credential.name}.`);
});
