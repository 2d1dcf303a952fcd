import { expectEqual } from './lib/checks.ts';
import type { Context } from './lib/context.ts';
import { type LogFixture, logFixture } from './lib/logFixture.ts';
import { catchUp, contentOf, type DatabaseName, openScratch } from './lib/readTables.ts';
import { repeat } from './lib/repeat.ts';
import { type Figure, figureOf, type Section } from './lib/report.ts';
import { mysqlDurability, postgresDurability, whyMissing } from './lib/services.ts';

export const historyLength = ({ quick }: Context): number => (quick ? 30_000 : 300_000);

type Measured = { readonly ours: readonly number[]; readonly bare: readonly number[]; readonly rows: number };

const databases = [
  // The embedded database is measured on a shorter log: it is not made for long ones.
  { name: 'PostgreSQL', share: 1, repetitions: { quick: 3, full: 5 } },
  { name: 'MariaDB', share: 1, repetitions: { quick: 1, full: 3 } },
  { name: 'PGlite', share: 0.2, repetitions: { quick: 1, full: 3 } },
] as const;

export const measureCatchUp = async (context: Context): Promise<Omit<Section, 'disturbance' | 'seconds'>> => {
  const length = historyLength(context);
  const extent = context.quick ? 'quick' : 'full';
  const figures: Figure[] = [];
  const skipped: string[] = [];
  const present: DatabaseName[] = [];
  for (const { name, share, repetitions } of databases) {
    const missing = name === 'PGlite' ? '' : await whyMissing(name);
    if (missing !== '') {
      skipped.push(`${name}: ${missing}`);
      continue;
    }
    present.push(name);
    const fixture = await logFixture(context, 'short', length * share);
    const pairs = await measure(context, name, fixture, repetitions[extent]);
    figures.push(...figuresOf(name, fixture, pairs));
    if (name !== 'PostgreSQL') continue;
    const large = await logFixture(context, 'long', length / 5);
    figures.push(told(`${name}, large events`, large, await measure(context, name, large, 2)));
  }
  return { benchmark: 'B3', title: 'catch-up projection', terms: await termsOf(present), figures, skipped };
};

const contents = new WeakMap<LogFixture, string>();

/** Each database must come to the same content. */
const checkContent = (name: DatabaseName, fixture: LogFixture, digest: string): void => {
  expectEqual(`Content of the tables on ${name}`, digest, contents.get(fixture) ?? digest);
  contents.set(fixture, digest);
};

const measure = async (
  context: Context,
  name: DatabaseName,
  fixture: LogFixture,
  repetitions: number,
): Promise<Measured> => {
  let rows = 0;
  const rates = await repeat(context, repetitions, async () => {
    const bare = (await fixture.bareRead()).rate;
    const scratch = await openScratch(context, name);
    try {
      const ours = fixture.events / (await catchUp(fixture.log, scratch.database, fixture.events));
      if (rows === 0) {
        const found = await contentOf(scratch.database, fixture.events);
        checkContent(name, fixture, found.digest);
        rows = found.rows;
      }
      return { ours, bare };
    } finally {
      await scratch.close();
    }
  });
  return { ours: rates.map(({ ours }) => ours), bare: rates.map(({ bare }) => bare), rows };
};

const against = 'bare readAll';

const told = (into: string, { events, dataBytes, metadataBytes }: LogFixture, pairs: Measured): Figure =>
  figureOf({ benchmark: 'B3', figure: `catch-up into ${into}`, unit: 'events/s' }, pairs, {
    ...{
      against,
      note: `${events} events of ${dataBytes} B and ${metadataBytes} B of metadata into ${pairs.rows} rows of all tables`,
    },
    ...(into === 'PostgreSQL' && { floor: { text: '≥ 10,000/s', holds: (value) => value >= 10_000 } }),
  });

const figuresOf = (name: DatabaseName, fixture: LogFixture, pairs: Measured): readonly Figure[] => {
  if (name !== 'PostgreSQL') return [told(name, fixture, pairs)];
  const ratios = pairs.ours.map((rate, index) => rate / (pairs.bare[index] ?? Number.NaN));
  const share = figureOf(
    { benchmark: 'B3', figure: `catch-up into ${name}, as a share of ${against}`, unit: '×' },
    { ours: ratios, bare: [] },
    { floor: { text: '≥ 0.5 ×', holds: (value) => value >= 0.5 } },
  );
  return [told(name, fixture, pairs), share];
};

const termsOf = async (present: readonly DatabaseName[]): Promise<readonly string[]> => [
  'Opslog: the projector from an empty database to the end of the log, all tables in one pass, in transactions with their checkpoints',
  'bare readAll: @eventstore/db-client counting the same events; the event store runs in a process of its own on both sides',
  'databases that project the same log came to the same rows (digests compared)',
  ...(present.includes('PostgreSQL')
    ? [`PostgreSQL: ${await postgresDurability()}; sessions for read tables have synchronous_commit=off`]
    : []),
  ...(present.includes('MariaDB') ? [`MariaDB: ${await mysqlDurability()}`] : []),
  'PGlite: in memory, in this process',
];
