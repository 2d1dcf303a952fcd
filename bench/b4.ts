import { decode } from '../src/commands/envelope.ts';
import { rebuild } from '../src/projections/engine/rebuild.ts';
import { tables } from '../src/projections/tables.ts';
import { historyLength } from './b3.ts';
import { bareMysqlWrite, barePostgresWrite } from './lib/bareWrite.ts';
import { expectEqual } from './lib/checks.ts';
import type { Context } from './lib/context.ts';
import { logFixture } from './lib/logFixture.ts';
import { catchUp, contentOf, openScratch } from './lib/readTables.ts';
import { repeat } from './lib/repeat.ts';
import { type Figure, figureOf, type Section } from './lib/report.ts';
import { whyMissing } from './lib/services.ts';
import { median } from './lib/stats.ts';

const limit = 2.5;
const middle = (values: readonly number[]): string => median(values).toFixed(2);
const sides = [
  {
    name: 'PostgreSQL',
    against: 'bare read + bare COPY',
    bareWrite: barePostgresWrite,
    repetitions: { quick: 3, full: 5 },
  },
  {
    name: 'MariaDB',
    against: 'bare read + bare multi-row insert',
    bareWrite: bareMysqlWrite,
    repetitions: { quick: 1, full: 3 },
  },
] as const;

export const measureRebuild = async (context: Context): Promise<Omit<Section, 'disturbance' | 'seconds'>> => {
  const { quick } = context;
  const { log, events, bareRead } = await logFixture(context, 'short', historyLength(context));
  const figures: Figure[] = [];
  const skipped: string[] = [];
  for (const { name, against, bareWrite, repetitions } of sides) {
    const missing = await whyMissing(name);
    if (missing !== '') {
      skipped.push(`${name}: ${missing}`);
      continue;
    }
    const { database, url, close } = await openScratch(context, name);
    try {
      await catchUp(log, database, events);
      const incremental = await contentOf(database, events);
      const bareSide = await bareWrite(url);
      const runs = await repeat(context, repetitions[quick ? 'quick' : 'full'], async () => {
        const read = (await bareRead()).seconds;
        const write = await bareSide.write();
        const startedAt = performance.now();
        const rebuilt = await rebuild({ log, database, tables, decode });
        const seconds = (performance.now() - startedAt) / 1_000;
        expectEqual('Events of the rebuild', rebuilt.events, events);
        return { read, write, seconds };
      });
      expectEqual('Rebuilt content', (await contentOf(database, events)).digest, incremental.digest);
      await bareSide.close();
      const parts = `${events} events, ${incremental.rows} rows; bare read ${middle(runs.map((run) => run.read))} s, bare write ${middle(runs.map((run) => run.write))} s`;
      figures.push(
        figureOf(
          { benchmark: 'B4', figure: `rebuild on ${name}`, unit: 's' },
          { ours: runs.map((run) => run.seconds), bare: runs.map(({ read, write }) => read + write) },
          { against, floor: { text: `≤ ${limit} ×`, holds: (_, ratio) => ratio <= limit }, note: parts },
        ),
      );
    } finally {
      await close();
    }
  }
  return {
    benchmark: 'B4',
    title: 'rebuild of all read tables beside the live ones',
    terms: [
      'Opslog: replay into shadow tables, keys, indexes, foreign keys, swap; equal to the incremental tables by digest',
      'bare: @eventstore/db-client reads the log, then the rows that result are written into tables without keys or indexes; sums compared',
    ],
    figures,
    skipped,
  };
};
