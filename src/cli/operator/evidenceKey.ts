import { z } from 'zod';
import { command } from '../command.ts';
import { evidenceKey } from '../operations/evidenceKey.ts';
import { perform } from './node.ts';

const args = z.object({ data: z.string().optional() });

export const run = command(args, async ({ data }, cli) => {
  const { keyId, publicKey } = await perform(cli, data, evidenceKey, {}, () => {});
  cli.note(`Key ${keyId}`);
  cli.answer({ ok: true, keyId, publicKey }, publicKey.trimEnd());
});
