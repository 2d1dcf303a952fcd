import { z } from 'zod';
import type { Cli } from '../cli.ts';
import { command } from '../command.ts';
import { type KeysListed, keysList } from '../operations/keysList.ts';
import { perform } from './node.ts';

const args = z.object({ data: z.string().optional() });

export const run = command(args, async ({ data }, cli) => {
  const listed = await perform(cli, data, keysList, {}, () => {});
  cli.answer({ ok: true, ...listed }, asText(listed, cli));
});

const asText = ({ masterKeys, destroyedDataKeys, unfinishedRotation }: KeysListed, { paint }: Cli): string => {
  const lines = masterKeys.map(({ version, source, status, wraps, dataKeys }) => {
    const state = source === 'missing' ? paint.red('missing: restore it') : wraps ? paint.green('wraps new keys') : '';
    const note = status === 'retiring' ? paint.yellow('being retired: run "opslog keys retire" again') : state;
    const where = source === 'missing' ? '' : source === 'file' ? 'in a file' : 'configured';
    return `version ${version}  ${where.padEnd(10)}  ${dataKeys} data keys  ${note}`.trimEnd();
  });
  return [
    ...lines,
    `${destroyedDataKeys} data keys were destroyed.`,
    ...(unfinishedRotation === null
      ? []
      : [`A rotation to version ${unfinishedRotation} is not finished: "opslog keys rotate" goes on with it.`]),
  ].join('\n');
};
