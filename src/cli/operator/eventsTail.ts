import { z } from 'zod';
import { clip } from '../../domain/kernel.ts';
import { command } from '../command.ts';
import { eventsTail, type ShownEvent } from '../operations/eventsTail.ts';
import { positionText } from '../operations/position.ts';
import { type Paint, plain } from '../paint.ts';
import { perform } from './node.ts';

const args = z.object({
  from: positionText.optional(),
  stream: z.string().optional(),
  category: z.string().optional(),
  follow: z.boolean(),
  data: z.string().optional(),
});

/** Prints events as they come; ends with the log (--no-follow) or with Ctrl-C, which is no failure here. */
export const run = command(args, async ({ data, ...asked }, cli) => {
  try {
    await perform(cli, data, eventsTail, asked, (event) => cli.answer(event, asLine(event, cli.paint)));
  } catch (error) {
    if (!cli.signal.aborted) throw error;
  }
});

const asLine = ({ position, stream, revision, type, recordedAt, data }: ShownEvent, paint: Paint): string =>
  [
    paint.dim(new Date(recordedAt).toISOString()),
    position.padStart(10),
    `${plain(stream)}@${revision}`,
    paint.cyan(plain(type)),
    plain(JSON.stringify(data, shortened)),
  ].join('  ');

const longest = 120;

/** A receipt or an SBOM would bury the lines around it; --json has the whole text. */
const shortened = (_key: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > longest ? `${clip(value, longest)}…` : value;
