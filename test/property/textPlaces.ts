import { sql } from 'kysely';
import { maskText } from '../../src/domain/masking.ts';
import { isForTenants } from '../../src/domain/publicEvent.ts';
import type { Database } from '../../src/platform/database/port.ts';
import type { StoredEvent } from '../../src/platform/eventLog/port.ts';
import type { ReadTables } from '../../src/projections/schema.ts';
import { isSameText, spelled } from '../support/naughtyTexts.ts';
import type { Wire } from './send.ts';
import type { Told } from './sendTexts.ts';
import { type Cell, granted, type TextPlace, textAt } from './textFixture.ts';

// Where a text that was taken must be found again, byte for byte. Every function answers what is not so.

/** A text, and the event that has it. */
export type Kept = Told & {
  readonly event: StoredEvent;
  readonly id: string;
  readonly written: string;
  readonly way: readonly string[];
};

const fault = ({ field, text, written }: Kept, found: unknown): string =>
  `${field}, ${spelled(text)}: ${spelled(written)} was expected, found ${typeof found === 'string' ? spelled(found) : found}`;

/** '' is "not there", which is null in an answer. */
const differs = (kept: Kept, found: unknown, expected = kept.written): readonly string[] =>
  isSameText(found ?? (expected === '' ? '' : found), expected) ? [] : [fault(kept, found)];

/** Finds each text in the log; what is not in an event of its request is a fault. */
export const inTheLog = async (
  place: TextPlace,
  told: readonly Told[],
): Promise<{ readonly kept: readonly Kept[]; readonly faults: readonly string[] }> => {
  const events = new Map<string, StoredEvent>();
  for await (const event of place.world.log.readAll()) {
    events.set(`${event.metadata['$correlationId']} ${event.type}`, event);
  }
  const all: Kept[] = [];
  const faults: string[] = [];
  for (const each of told) {
    const { fixture, correlationId, field, kept } = each;
    const [type = '', ...way] = fixture.fact ?? [];
    const event = events.get(`${correlationId} ${type}`);
    if (!event) {
      faults.push(`${field}, ${spelled(each.text)}: no ${type}`);
      continue;
    }
    const written = fixture.written?.(kept) ?? kept;
    const found = { ...each, event, id: event.stream.slice(event.stream.indexOf('-') + 1), written, way };
    const here = fixture.opened ? await fixture.opened(place, event) : textAt(event.data, way);
    faults.push(...differs(found, here));
    // What is sealed is nowhere else.
    if (!fixture.opened) all.push(found);
  }
  return { kept: all, faults };
};

type Rows = ReadonlyMap<string, unknown>;

const columnOf = async ({ session }: Database<ReadTables>, { table, key, column }: Cell): Promise<Rows> => {
  const { rows } = await sql<{ key: string; value: unknown }>`
    select ${sql.ref(key)} as ${sql.id('key')}, ${sql.ref(column)} as ${sql.id('value')} from ${sql.table(table)}`.execute(
    session,
  );
  return new Map(rows.map(({ key: id, value }) => [id, value]));
};

const inCell = (value: unknown, way: readonly string[]): unknown =>
  way.length === 0 ? value : textAt(typeof value === 'string' ? JSON.parse(value) : value, way);

/** Rows of the tables, of the trail and of the feed. */
export const inTables = async (database: Database<ReadTables>, kept: readonly Kept[]): Promise<readonly string[]> => {
  const read = new Map<string, Rows>();
  const columnValue = async (cell: Cell, id: string): Promise<unknown> => {
    const name = `${cell.table}.${cell.column}`;
    const rows = read.get(name) ?? (await columnOf(database, cell));
    read.set(name, rows);
    return rows.get(id);
  };
  const faults: string[] = [];
  for (const each of kept) {
    for (const cell of each.fixture.cells ?? []) {
      const found = inCell(await columnValue(cell, each.id), cell.way ?? []);
      // The graph of resources has everything masked.
      const expected = cell.table === 'resources' ? maskText(each.written) : each.written;
      faults.push(...differs(each, found, expected).map((line) => `${cell.table}.${cell.column}: ${line}`));
    }
    const { event, way } = each;
    const workspaceId = String(event.metadata['workspaceId'] ?? '');
    const category = event.stream.slice(0, event.stream.indexOf('-'));
    const shown = [{ table: 'audit_logs', key: 'id', column: 'metadata', way }];
    const fed = isForTenants(event.type, Object({ category, workspaceId }));
    for (const cell of fed ? [...shown, { table: 'events', key: 'id', column: 'payload', way }] : shown) {
      const found = inCell(await columnValue(cell, event.id), way);
      faults.push(...differs(each, found, maskText(each.written)).map((line) => `${cell.table}: ${line}`));
    }
  }
  return faults;
};

type Message = { readonly id: string; readonly event: Readonly<Record<string, unknown>> };

export const inMessages = (messages: readonly Message[], kept: readonly Kept[]): readonly string[] => {
  const byId = new Map(messages.map(({ event }) => [event['id'], event['data']]));
  return kept.flatMap((each) => differs(each, textAt(byId.get(each.event.id), each.way), maskText(each.written)));
};

const addressOf = (path: string, { event, id }: Kept): string =>
  path.replace('{workspaceId}', String(event.metadata['workspaceId'])).replace('{id}', id);

/** Every item of a list, page by page. */
const listed = async (
  wire: Wire,
  path: string,
  token: string,
  pages: 'cursor' | 'after' | 'none',
): Promise<readonly unknown[]> => {
  const items: unknown[] = [];
  let next = '';
  for (;;) {
    const query = pages === 'none' ? '' : `?limit=200${next === '' ? '' : `&${pages}=${encodeURIComponent(next)}`}`;
    const { items: page, next: following } = Object(
      await granted(wire, { method: 'GET', path: `${path}${query}`, token }),
    );
    items.push(...page);
    if (typeof following !== 'string' || following === next || page.length === 0) return items;
    next = following;
  }
};

const unpaged = new Set(['webhooks']);

/** Lists, what each of them has alone, and the trail and the feed of the workspace. `every`: so many are asked for alone. */
export const inAnswers = async (
  wire: Wire,
  { own: { token, base, ids } }: TextPlace,
  kept: readonly Kept[],
  every: (n: number) => boolean,
): Promise<readonly string[]> => {
  const lists = new Map<string, readonly unknown[]>();
  const itemsOf = async (path: string): Promise<readonly unknown[]> => {
    const pages = unpaged.has(path.split('/').at(-1) ?? '') ? 'none' : path.endsWith('/events') ? 'after' : 'cursor';
    const items = lists.get(path) ?? (await listed(wire, path, token, pages));
    lists.set(path, items);
    return items;
  };
  const index = new Map<string, ReadonlyMap<unknown, unknown>>();
  const itemOf = async (path: string, key: string, id: string): Promise<unknown> => {
    const items = index.get(path) ?? new Map((await itemsOf(path)).map((item) => [textAt(item, [key]), item]));
    index.set(path, items);
    return items.get(id);
  };
  const faults: string[] = [];
  for (const [n, each] of kept.entries()) {
    const { fixture, event, way } = each;
    const { list, one } = fixture;
    if (list) {
      const [path, key, ...inItem] = list;
      const found = textAt(await itemOf(addressOf(path, each), key, each.id), inItem);
      faults.push(...differs(each, found).map((line) => `${path}: ${line}`));
    }
    if (one && every(n)) {
      const [path, ...inOne] = one;
      const body = await granted(wire, { method: 'GET', path: addressOf(path, each), token });
      faults.push(...differs(each, textAt(body, inOne)).map((line) => `${path}: ${line}`));
    }
    if (event.metadata['workspaceId'] !== ids.workspaceId) continue;
    const masked = maskText(each.written);
    const entry = textAt(await itemOf(`${base}/audit`, 'id', event.id), ['metadata', ...way]);
    const fed = textAt(await itemOf(`${base}/events`, 'id', event.id), ['data', ...way]);
    faults.push(...differs(each, entry, masked).map((line) => `audit: ${line}`));
    faults.push(...differs(each, fed, masked).map((line) => `events: ${line}`));
  }
  return faults;
};
