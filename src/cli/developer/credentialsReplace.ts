import { z } from 'zod';
import { answerOf } from '../../client/index.ts';
import { type Credential, findCredential, findVaulted, publicKeyOf, workspaceArgs } from './credentials.ts';
import { type Known, readValue, valueArgs } from './credentialValue.ts';
import { remoteCommand } from './remote.ts';

const args = workspaceArgs.extend(valueArgs.shape).extend({ credential: z.string() });

export const run = remoteCommand(args, async ({ credential: wanted, ...rest }, cli) => {
  const vaulted = await findVaulted(cli, rest);
  const found = await findCredential(cli, vaulted, wanted);
  const value = await readValue(cli, found.kind, rest, knownOf(found));
  const credential = await answerOf(
    vaulted.client.POST('/workspaces/{workspaceId}/credentials/{credentialId}/replace', {
      params: { path: { ...vaulted.path, credentialId: found.id } },
      body: { value },
      signal: cli.signal,
    }),
  );
  cli.answer({ ok: true, credential }, publicKeyOf(credential) ?? `${found.name} is at version ${credential.version}.`);
});

const knownOf = ({ details }: Credential): Known => {
  switch (details?.kind) {
    case 'sshKey':
    case 'sshPassword':
      return { userName: details.userName };
    case 'apiToken':
      return { provider: details.provider };
    case 'registryLogin':
      return { registry: details.registry, userName: details.userName };
    default:
      return {};
  }
};
