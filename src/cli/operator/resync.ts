import { z } from 'zod';
import { command } from '../command.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure } from '../failure.ts';
import { resync } from '../operations/resync.ts';
import { perform } from './node.ts';

const args = z.object({ data: z.string().optional() });

export const run = command(args, async ({ data }, cli) => {
  const report = await perform(cli, data, resync, {}, () => {});
  const lines = (['started', 'stopped', 'kept', 'busy', 'unknown'] as const).flatMap((kind) =>
    report[kind].length === 0 ? [] : [`${kind.padEnd(8)} ${report[kind].join(', ')}`],
  );
  const isWhole = report.failed.length === 0;
  const text = [...lines, ...report.failed.map(({ scriptName, detail }) => `failed   ${scriptName}: ${detail}`)];
  cli.answer(
    { ok: isWhole, ...report },
    text.length === 0 ? 'Nothing should run here, and nothing does.' : text.join('\n'),
  );
  if (!isWhole) {
    throw new Failure(`${report.failed.length} workers do not run as the log says.`, {
      ...{ code: 'not_whole', exitCode: exitCodes.refused, answered: true },
    });
  }
});
