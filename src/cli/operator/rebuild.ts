import { z } from 'zod';
import { command } from '../command.ts';
import { rebuild } from '../operations/rebuild.ts';
import { perform } from './node.ts';
import { createMeter, duration } from './progress.ts';

const args = z.object({ tables: z.array(z.string()).default([]), data: z.string().optional() });

export const run = command(args, async ({ tables, data }, cli) => {
  const meter = createMeter(cli, 'Replaying');
  const rebuilt = await perform(cli, data, rebuild, { tables }, ({ phase, events, position, head }) => {
    if (phase === 'replaying') meter(events, position, head);
    else cli.status(phase === 'indexing' ? 'Building indexes and foreign keys …' : 'Swapping …');
  });
  const { events, rows, durationMs, position } = rebuilt;
  cli.answer(
    { ok: true, ...rebuilt },
    [
      `Rebuilt ${rebuilt.tables.length} tables from ${events} events in ${duration(durationMs)}; ${rows} rows written.`,
      `They stand at position ${position}: ${rebuilt.tables.join(', ')}.`,
    ].join('\n'),
  );
});
