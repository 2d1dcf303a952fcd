import { expectEqual } from './lib/checks.ts';
import type { Context } from './lib/context.ts';
import { type LogFixture, logFixture } from './lib/logFixture.ts';
import { catchUp, contentOf, type DatabaseName, openScratch } from './lib/readTables.ts';
import { type Figure, figureOf, type Section } from './lib/report.ts';
import { mysqlDurability, postgresDurability, whyMissing } from './lib/services.ts';

export const historyLength = ({ quick }: Context): number => (quick ? 30_000 : 300_000);

type Measured = { readonly ours: readonly number[]; readonly bare: readonly number[]; readonly rows: number };

export const measureCatchUp = async (context: Context): Promise<Omit<Section, 'disturbance' | 'seconds'>> => {
  const { quick } = context;
  const short = await logFixture(context, 'short', historyLength(context));
  const long = await logFixture(context, 'long', historyLength(context) / 5);
  const missing = { PostgreSQL: await whyMissing('PostgreSQL'), MariaDB: await whyMissing('MariaDB'), PGlite: '' };
  const figures: Figure[] = [];
  const skipped: string[] = [];
  let rows = 0;
  // Each database must come to the same content.
  let content: string | undefined;

  const measure = async (name: DatabaseName, fixture: LogFixture, repetitions: number): Promise<Measured> => {
    const ours: number[] = [];
    const bare: number[] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      bare.push((await fixture.bareRead()).rate);
      const scratch = await openScratch(name);
      try {
        ours.push(fixture.events / (await catchUp(fixture.log, scratch.database, fixture.events)));
        if (repetition > 0) continue;
        const found = await contentOf(scratch.database, fixture.events);
        if (fixture === short) {
          content ??= found.digest;
          expectEqual(`Content of the tables on ${name}`, found.digest, content);
        }
        rows = found.rows;
      } finally {
        await scratch.close();
      }
    }
    return { ours, bare, rows };
  };

  await short.bareRead();
  for (const name of ['PostgreSQL', 'MariaDB', 'PGlite'] as const) {
    if (missing[name] !== '') {
      skipped.push(`${name}: ${missing[name]}`);
      continue;
    }
    const isJudged = name === 'PostgreSQL';
    const pairs = await measure(name, short, isJudged ? (quick ? 3 : 5) : quick ? 1 : 3);
    const into = { benchmark: 'B3', figure: `catch-up into ${name}`, unit: 'events/s' };
    const against = 'bare readAll';
    const note = `${short.events} events of ${short.meanBytes} B into ${pairs.rows} rows of all tables`;
    if (isJudged) {
      figures.push(
        figureOf(into, pairs, { against, note, floor: { text: '≥ 10,000/s', holds: (value) => value >= 10_000 } }),
        figureOf({ ...into, figure: 'share of bare readAll' }, pairs, {
          against,
          floor: { text: '≥ 0.5 ×', holds: (_, ratio) => ratio >= 0.5 },
        }),
      );
      const large = await measure(name, long, quick ? 2 : 3);
      figures.push(
        figureOf({ ...into, figure: `catch-up into ${name}, large events` }, large, {
          against,
          note: `${long.events} events of ${long.meanBytes} B into ${large.rows} rows`,
        }),
      );
    } else figures.push(figureOf(into, pairs, { against, note }));
  }
  return {
    benchmark: 'B3',
    title: 'catch-up projection',
    terms: [
      'Opslog: the projector from an empty database to the end of the log, all tables in one pass, in transactions with their checkpoints',
      'bare readAll: @eventstore/db-client counting the same events; the event store runs in a process of its own on both sides',
      'every database came to the same rows (digests compared)',
      ...(missing.PostgreSQL === ''
        ? [`PostgreSQL: ${await postgresDurability()}; read tables with synchronous_commit=off in their sessions`]
        : []),
      ...(missing.MariaDB === '' ? [`MariaDB: ${await mysqlDurability()}`] : []),
      'PGlite: in memory, in this process',
    ],
    figures,
    skipped,
  };
};
