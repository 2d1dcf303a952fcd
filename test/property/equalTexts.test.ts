import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { OpslogEvent } from '../../src/domain/catalog.ts';
import { storing } from '../../src/projections/engine/columns.ts';
import { createTables } from '../../src/projections/engine/index.ts';
import { string, table } from '../../src/projections/table.ts';
import { inParallel } from '../matrix/ask.ts';
import { onEveryDatabase } from '../support/database.ts';
import { naughtyTexts } from '../support/naughtyTexts.ts';
import { granted } from './textFixture.ts';
import { type Door, openDoor, type StartedPlace, startTextPlace } from './textWorld.ts';

// Texts that some databases take for one another: here they are told apart, found and ordered alike on all of them.

const alike = [
  ...['a', 'ä', 'a\u0308', 'á', 'å', 'ａ', 'а', 'a\u200b', 'a-', 'a -', 'aa', 'ª', 'ae', 'æ', 'AA', 'Ａ'],
  ...[
    'ss',
    'ß',
    'ẞ',
    'Strasse',
    'Straße',
    'ﬁ',
    'fi',
    'ĳ',
    'ij',
    '①',
    '1',
    '１',
    '١',
    '½',
    '1/2',
    'o',
    'ø',
    'Ø',
    'đ',
    'd',
  ],
  ...[
    'i',
    'I',
    'ı',
    'İ',
    'i\u0307',
    'k',
    '\u212a',
    'K',
    's',
    'ſ',
    'σ',
    'ς',
    'Σ',
    'ΟΔΟΣ',
    'οδος',
    'οδοσ',
    'ΟΔΟΣΑ',
    'ж',
    'Ж',
    'е',
    'ё',
  ],
  ...[
    'ｱ',
    'ア',
    'あ',
    'ぁ',
    '👻',
    '👽',
    '\u{1f9d1}\u{1f3fe}',
    '\u{1f9d1}',
    '\u{10000}',
    '%',
    '_',
    '!',
    'a%',
    'a_',
    'a!b',
    'a\\b',
    "a'b",
  ],
];
/** As it is kept. */
const kept = (text: string): string => text.normalize('NFC').trim();
const names = [...new Set(alike.map(kept))];

/** What one letter is beside its small and its capital form, as Unicode's full case folding has it. */
const same: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ẞ: 'ss', ﬁ: 'fi', İ: 'i\u0307', ı: 'i', ſ: 's', ς: 'σ', ŉ: 'ʼn' },
};
const uniquely = (name: string): string =>
  Array.from(name, (letter) => same[letter] ?? same[letter.toLowerCase()] ?? letter.toLowerCase())
    .join('')
    .normalize('NFC');

/** The rule of docs/texts.md: letter by letter without case, and the two small forms of sigma are one. */
const folded = (text: string): string =>
  Array.from(kept(text), (letter) => letter.toLowerCase())
    .join('')
    .replaceAll('ς', 'σ');

const secrets = ['KEY', 'key', 'Key', 'kEY', '_key', 'KEY_', 'KEY1', 'key_1', 'Z', 'a', 'A', 'z'];

let place: StartedPlace;
let base: string;
let answers: ReadonlyMap<string, number>;

const post = (path: string, body: object, method = 'POST') =>
  granted(place.wire, { method, path: `${base}${path}`, token: place.own.token, body });

beforeAll(async () => {
  place = await startTextPlace();
  const made = await granted(place.wire, {
    ...{ method: 'POST', path: '/workspaces', token: place.own.token, body: { name: 'Alike', slug: 'alike' } },
  });
  base = `/workspaces/${z.object({ id: z.string() }).parse(made).id}`;
  for (const name of names) await post('/resources', { name, kind: 'thing', provider: name });
  for (const name of secrets) {
    const path = `${place.own.base}/departments/${place.own.ids.departmentId}/worker/secrets/${name}`;
    await granted(place.wire, { method: 'PUT', path, token: place.own.token, body: { value: name } });
  }
  const value = { kind: 'generic', fields: { note: 'plain' } };
  const statuses = await inParallel(names, 1, async (name): Promise<[string, number]> => {
    const body = Buffer.from(JSON.stringify({ name, value }));
    const headers = [
      ['authorization', `Bearer ${place.own.token}`] as const,
      ['content-type', 'application/json'] as const,
    ];
    const { status } = await place.wire.send({ method: 'POST', path: `${base}/credentials`, headers, body }, false);
    return [name, status];
  });
  answers = new Map(statuses);
}, 120_000);

afterAll(() => place?.stop());

const page = z.object({ items: z.array(z.object({ name: z.string() })), next: z.string().nullable() });

/** The names of a list, a few at a time. */
const listed = async ({ wire }: Door, path: string, limit: number): Promise<readonly string[]> => {
  const found: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const address = new URL(path, 'http://localhost');
    address.searchParams.set('limit', String(limit));
    if (next !== '') address.searchParams.set('cursor', next);
    const answer = await granted(wire, {
      method: 'GET',
      path: `${address.pathname}${address.search}`,
      token: place.own.token,
    });
    const { items, next: following } = page.parse(answer);
    found.push(...items.map(({ name }) => name));
    next = following;
  }
  return found;
};

const inBytes = (texts: readonly string[]): readonly string[] =>
  [...texts].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));

test('A name of a credential is taken when another one differs from it in case alone, and by nothing else', () => {
  const taken = new Set<string>();
  const expected = names.map((name) => {
    const key = uniquely(name);
    const status = taken.has(key) ? 409 : 201;
    taken.add(key);
    return [name, status];
  });
  expect([...answers]).toEqual(expected);
  expect(expected.filter(([, status]) => status === 409).length).toBeGreaterThan(12);
});

await onEveryDatabase('Texts that look alike', (target) => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor(place, target);
  }, 120_000);
  afterAll(() => door?.close());

  test('are as many rows as there are texts, and no page loses one', async () => {
    for (const limit of [1, 7, 200]) expect(await listed(door, `${base}/resources?type=custom`, limit)).toEqual(names);
    const credentials = names.filter((name) => answers.get(name) === 201);
    expect(await listed(door, `${base}/credentials`, 3)).toEqual(credentials);
  });

  test('are in the order of their bytes where a list goes by name', async () => {
    const path = `${place.own.base}/departments/${place.own.ids.departmentId}/worker/secrets`;
    const all = inBytes([...secrets, place.own.ids.name]);
    for (const limit of [1, 4, 200]) expect(await listed(door, path, limit)).toEqual(all);
  });

  test('are found by a filter only when they are equal', async () => {
    for (const text of alike) {
      const found = await listed(door, `${base}/resources?provider=${encodeURIComponent(text)}`, 200);
      expect(found, text).toEqual([kept(text)]);
    }
  });

  test('are found by a search whatever their case, and by nothing else', async () => {
    for (const text of alike) {
      const expected = names.filter((name) => folded(name).includes(folded(text)));
      const found = await listed(door, `${base}/resources?type=custom&q=${encodeURIComponent(text)}`, 200);
      expect(found, text).toEqual(expected);
    }
  });

  test('are told apart by a unique key, ordered by their bytes, and read as they were written', async () => {
    const { database, drop } = await target.create();
    try {
      const columns = { id: string(64), name: string(600) };
      const unique = { uq_naughty_name: ['name'] } as const;
      const naughty = table<OpslogEvent>()({
        ...{ name: 'naughty_names', version: 1, columns, primaryKey: ['id'], unique, onAny: () => undefined },
      });
      await createTables(database, [naughty]);
      const store = storing('name', columns.name);
      const short = [...naughtyTexts, ...alike].filter((text) => [...text].length <= 600);
      const stored = short.map((text) => String(store(text)));
      // What no database may hold is all that is altered.
      const altered = short.filter((text, n) => stored[n] !== text);
      expect(altered.every((text) => /^\ufeff|\0|\p{Surrogate}/u.test(text))).toBe(true);
      const all = inBytes([...new Set(stored)]);
      const rows = sql.join(all.map((name, n) => sql`(${String(n)}, ${name})`));
      await sql`insert into naughty_names (id, name) values ${rows}`.execute(database.session);
      const read: string[] = [];
      for (;;) {
        const { rows: next } = await sql<{ name: string }>`
          select name from naughty_names where name > ${read.at(-1) ?? ''} order by name limit 50`.execute(
          database.session,
        );
        if (next.length === 0) break;
        read.push(...next.map(({ name }) => name));
      }
      expect(read).toEqual(all.filter((name) => name !== ''));
      const again = sql`insert into naughty_names (id, name) values ('again', ${all.at(-1) ?? ''})`;
      await expect(again.execute(database.session)).rejects.toThrow();
    } finally {
      await drop();
    }
  });
});
