import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { answerOf } from '../../client/index.ts';
import { remoteCommand } from './remote.ts';
import { findWorkspaceTarget, workspaceArgs } from './workspaceTarget.ts';

const args = workspaceArgs.extend({ out: z.string().optional() });

export const run = remoteCommand(args, async ({ out, ...where }, cli) => {
  const { client, path } = await findWorkspaceTarget(cli, where);
  const sealed = await answerOf(
    client.GET('/workspaces/{workspaceId}/audit/head', { params: { path }, signal: cli.signal }),
  );
  // Exactly this text verifies again.
  const text = JSON.stringify(sealed);
  if (out === undefined) {
    cli.answer(sealed, text);
    return;
  }
  await writeFile(resolve(cli.cwd, out), `${text}\n`);
  const head = JSON.parse(Buffer.from(sealed.payload, 'base64').toString('utf8'));
  const keyId = sealed.signatures[0]?.keyid ?? '';
  cli.answer({ ok: true, ...head, keyId, out }, `Entry ${head.sequence}, signed with the key ${keyId}, is in ${out}.`);
});
