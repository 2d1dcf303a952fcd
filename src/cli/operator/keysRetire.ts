import { z } from 'zod';
import { command } from '../command.ts';
import { keysRetire } from '../operations/keysRetire.ts';
import { perform } from './node.ts';

const args = z.object({ version: z.coerce.number().int().positive(), data: z.string().optional() });

export const run = command(args, async ({ version, data }, cli) => {
  const retired = await perform(cli, data, keysRetire, { version }, () => {});
  cli.answer(
    { ok: true, ...retired },
    retired.source === 'file'
      ? `Version ${version} is destroyed. Remove its copies from your backups, too.`
      : `Nothing needs version ${version} any more: take it out of OPSLOG_MASTER_KEYS on every node.`,
  );
});
