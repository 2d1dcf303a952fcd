import { z } from 'zod';
import { answerOf } from '../../client/index.ts';
import { credentialKinds } from '../../domain/credential/index.ts';
import { findVaulted, publicKeyOf, workspaceArgs } from './credentials.ts';
import { readValue, valueArgs } from './credentialValue.ts';
import { remoteCommand } from './remote.ts';

const args = workspaceArgs.extend(valueArgs.shape).extend({
  name: z.string(),
  kind: z.enum(credentialKinds),
  department: z.string().optional(),
  description: z.string().optional(),
});

export const run = remoteCommand(args, async ({ name, kind, department, description, ...rest }, cli) => {
  const value = await readValue(cli, kind, rest);
  const { client, path } = await findVaulted(cli, rest);
  const credential = await answerOf(
    client.POST('/workspaces/{workspaceId}/credentials', {
      params: { path },
      body: {
        ...{ name, value },
        ...(description !== undefined && { description }),
        ...(department !== undefined && { departmentId: department }),
      },
      signal: cli.signal,
    }),
  );
  cli.answer({ ok: true, credential }, publicKeyOf(credential) ?? `${credential.name} is sealed (${credential.id}).`);
});
