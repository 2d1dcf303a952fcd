import { z } from 'zod';
import { command } from '../command.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure } from '../failure.ts';
import { keysRotate } from '../operations/keysRotate.ts';
import { perform } from './node.ts';
import { duration } from './progress.ts';

const args = z.object({ data: z.string().optional() });

export const run = command(args, async ({ data }, cli) => {
  const startedAt = performance.now();
  const rotated = await perform(cli, data, keysRotate, {}, ({ version, done, total }) => {
    const left = done === 0 ? Number.POSITIVE_INFINITY : ((performance.now() - startedAt) / done) * (total - done);
    cli.status(`Wrapping with version ${version}: ${done} of ${total} data keys, ${duration(left)} to go`);
  });
  const { version, rewrapped, resumed, unreadable, durationMs } = rotated;
  if (unreadable.length > 0) {
    throw new Failure(`${unreadable.length} data keys could not be opened and stay as they are: ${some(unreadable)}.`, {
      code: 'data_keys_unreadable',
      exitCode: exitCodes.unverified,
      hint: 'Restore them, or the version of the master key that they need, from a backup; then rotate again.',
      more: rotated,
    });
  }
  cli.answer(
    { ok: true, ...rotated },
    `${resumed ? 'Finished the rotation: version' : 'Version'} ${version} wraps every data key; ${rewrapped} were moved to it in ${duration(durationMs)}.`,
  );
});

const some = (ids: readonly string[]): string =>
  ids.length > 3 ? `${ids.slice(0, 3).join(', ')} and ${ids.length - 3} more` : ids.join(', ');
