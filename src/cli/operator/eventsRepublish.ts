import { z } from 'zod';
import { command } from '../command.ts';
import { eventsRepublish } from '../operations/eventsRepublish.ts';
import { positionText } from '../operations/position.ts';
import { perform } from './node.ts';
import { duration } from './progress.ts';

const args = z.object({ after: positionText.optional(), to: positionText.optional(), data: z.string().optional() });

export const run = command(args, async ({ after, to, data }, cli) => {
  cli.status('Publishing …');
  const asked = { ...(after !== undefined && { after }), ...(to !== undefined && { to }) };
  const done = await perform(cli, data, eventsRepublish, asked, () => undefined);
  const { published, stream, position, durationMs } = done;
  cli.answer(
    { ok: true, ...done },
    `Published ${published} events again to ${stream}, up to position ${position}, in ${duration(durationMs)}.`,
  );
});
