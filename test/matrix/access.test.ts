import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../src/api/operations.ts';
import { turnLimits } from '../../src/api/turns.ts';
import type { Position } from '../../src/platform/eventLog/port.ts';
import { type ApiWorld, startApi } from '../support/api.ts';
import { onNats, startTestBusIfThere, type TestBus } from '../support/nats.ts';
import { type Asked, askCell, clientOf, comparable, inParallel, without } from './ask.ts';
import { type Caller, everyCaller, somebody } from './callers.ts';
import { type Cell, cellsOf, expectedOf, groupOf, isBad, requestOf } from './cells.ts';
import { describedOperations, type Identifier } from './document.ts';
import {
  type IdentifierFixture,
  identifierFixtures,
  operationFixtures,
  otherKindOf,
  type Variant,
} from './fixtures.ts';
import { aFullWorkspace, type FullWorkspace, idOf, must } from './fullWorkspace.ts';
import { whatIsGone, word } from './gone.ts';
import { messageRules } from './messages.ts';
import { eventsAfter, isNoteOfRefusal, isUse, rowsWith, textOf, wordsOf } from './traces.ts';

// Every operation of the API × every identifier in it × whose it is × who asks. What it must be told of an operation or of
// a kind of thing is in fixtures.ts.

const described = describedOperations();
const names = [...new Set(described.flatMap(({ identifiers }) => identifiers.map(({ name }) => name)))];

let bus: TestBus | undefined;
let world: ApiWorld;
let own: FullWorkspace;
let foreign: FullWorkspace;
let callers: readonly Caller[];
let kinds: Readonly<Record<string, IdentifierFixture>>;
let asked: readonly Asked[];
let start: Position;
let rowsBefore: ReadonlyMap<string, readonly string[]>;

/** Requests under way at a time. */
const width = 24;

beforeAll(async () => {
  bus = await startTestBusIfThere();
  world = await startApi({
    bus,
    refusals: { perWindow: { member: 100_000, stranger: 100_000 } },
    limits: {
      turns: {
        ...turnLimits,
        builds: { ...turnLimits.builds, waiting: 100 },
        lookBacks: { ...turnLimits.lookBacks, waiting: 100 },
      },
      streams: { total: 500, perWorkspace: 500, perCaller: 500 },
    },
  });
  const admin = await world.signIn();
  // Four people who have nothing to do with each other, and the administrator with none of them.
  const [owner, theirs, stranger] = [
    await somebody(world, admin),
    await somebody(world, admin),
    await somebody(world, admin),
  ];
  own = await aFullWorkspace(world, { owner, canary: word(), revisions: 2 });
  foreign = await aFullWorkspace(world, { owner: theirs, canary: word(), revisions: 3 });
  const strange = await must(world, 'POST', '/workspaces', {
    ...{ token: stranger.token, body: { name: 'Strange', slug: word() } },
  });
  const elsewhere = await must(world, 'POST', `${own.base}/departments`, {
    ...{ token: own.token, body: { name: 'Elsewhere', slug: 'elsewhere' } },
  });
  callers = await everyCaller(world, {
    ...{ own, elsewhereId: idOf(elsewhere) },
    stranger: { token: stranger.token, base: `/workspaces/${idOf(strange)}` },
  });
  kinds = identifierFixtures(own.ids, foreign.ids, await whatIsGone(world, own));
  await settled();
  start = await world.log.head();
  rowsBefore = await rowsWith(world, wordsOf(foreign));
  asked = await askAll();
}, 240_000);

afterAll(() => world?.stop());

/** The read tables hold everything that is in the log. */
const settled = async (): Promise<void> => {
  await must(world, 'GET', `/workspaces?waitFor=${await world.log.head()}`, { token: own.token });
};

const valuesOf = (identifier: Identifier): ReadonlyMap<Variant, string> => {
  const kind = kinds[identifier.name];
  if (!kind) throw new Error(`Say in identifierFixtures what a ${identifier.name} is.`);
  const { own: mine, foreign: theirs, deleted, guessed } = kind;
  const otherKind = otherKindOf(identifier, own.ids);
  return new Map<Variant, string>([
    ...([
      ['own', mine],
      ['foreign', theirs],
      ['guessed', guessed()],
    ] as const),
    // A filter finds what was, too.
    ...(typeof deleted === 'string' && identifier.place !== 'query' ? ([['deleted', deleted]] as const) : []),
    ...(otherKind === undefined ? [] : ([['otherKind', otherKind]] as const)),
  ]);
};

const askAll = async (): Promise<readonly Asked[]> => {
  const cells = described.flatMap((operation) => {
    const fixture = operationFixtures[operation.id];
    // Told of by a test of its own.
    return fixture && operation.identifiers.every(({ name }) => kinds[name])
      ? cellsOf(operation, fixture, callers, valuesOf)
      : [];
  });
  const began = performance.now();
  const client = clientOf(world.url, width);
  const answers = await inParallel(cells, width, (cell, index) =>
    askCell(client, cell, requestOf(cell, kinds, own.ids), `matrix-${index}-cell`),
  );
  client.agent.destroy();
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  const identified = described.reduce((sum, { identifiers }) => sum + identifiers.length, 0);
  console.info(
    `Access matrix: ${cells.length} cells of ${described.length} operations with ${identified} identifiers, asked by ${callers.length} callers in ${seconds} s.`,
  );
  return answers;
};

const nameOf = ({ operation, caller, identifier, variant }: Cell): string =>
  `${operation.id}, ${caller.name}, ${identifier ? `${variant} ${identifier.place} ${identifier.way.join('.')}` : `all ids ${variant}`}`;

/** A page without items, or a file of JSON lines whose last one says that there was no entry. */
const isEmptyList = (text: string): boolean => {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  const { items, entries }: { items?: unknown; entries?: unknown } = Object(JSON.parse(last));
  return entries === 0 || (Array.isArray(items) && items.length === 0);
};

const fits = ({ cell, shown }: Asked): boolean => {
  const expected = expectedOf(cell);
  const { status, text } = shown;
  if (typeof expected !== 'string') return expected.includes(status);
  if (expected === 'empty') return status === 200 && isEmptyList(text);
  const title: unknown = status < 300 ? '' : Object(JSON.parse(text)).title;
  return status < 300 || (cell.fixture.answers ?? []).some((each) => each === title);
};

describe('The matrix is told', () => {
  test('of every operation: add a line to operationFixtures in test/matrix/fixtures.ts', () => {
    expect(described.map(({ id }) => id).filter((id) => !operationFixtures[id])).toEqual([]);
    expect(described.map(({ id }) => id).sort()).toEqual(operations.map(({ id }) => id).sort());
  });

  test('of no operation that is gone', () => {
    expect(Object.keys(operationFixtures).filter((id) => described.every((each) => each.id !== id))).toEqual([]);
  });

  test('of every kind of identifier: add to identifierFixtures what is one’s own, somebody else’s and deleted', () => {
    expect(names.filter((name) => !kinds[name])).toEqual([]);
  });
});

describe('Who may do what with which ids', () => {
  test.each(described.map(({ id }) => id))('%s', (id) => {
    const wrong = asked
      .filter(({ cell }) => cell.operation.id === id)
      .filter((each) => !fits(each))
      .map(
        ({ cell, shown }) =>
          `${nameOf(cell)}: expected ${expectedOf(cell)}, got ${shown.status} ${shown.text.slice(0, 300)}`,
      );
    expect(wrong).toEqual([]);
  });

  test('what is somebody else’s, deleted, made up or of another kind is answered alike, byte for byte', () => {
    const groups = new Map<string, Asked[]>();
    for (const each of asked) {
      const group = groupOf(each.cell);
      if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), each]);
    }
    const differing = [...groups.values()].flatMap(([first, ...others]) =>
      others
        .filter((other) => first && comparable(other) !== comparable(first))
        .map(
          (other) =>
            `${nameOf(other.cell)}: ${comparable(other)}\nbut ${first && `${nameOf(first.cell)}: ${comparable(first)}`}`,
        ),
    );
    expect(differing.slice(0, 20)).toEqual([]);
  });

  test('whoever is not known gets one answer, whatever was asked', () => {
    const answers = asked
      .filter(({ cell }) => cell.caller.standing === 'unknown' && cell.operation.access !== 'public')
      .map((each) => `${each.shown.status} ${each.shown.text.replaceAll(each.requestId, '')}`);
    expect(new Set(answers).size).toBe(1);
  });
});

describe('Of somebody else’s workspace', () => {
  test('no answer holds a word', () => {
    const mine = wordsOf(own);
    const theirs = wordsOf(foreign);
    const told = asked.flatMap((each) => {
      const { cell, request, shown } = each;
      const hidden = cell.caller.standing === 'member' ? theirs : [...theirs, ...mine];
      const text = without(`${shown.text} ${shown.headers}`, request.sent);
      return hidden
        .filter((each) => text.includes(each))
        .map((each) => `${nameOf(cell)}: ${each} in ${text.slice(0, 300)}`);
    });
    expect(told.slice(0, 20)).toEqual([]);
  });

  test('a member who is limited to another department is told no name of this one', () => {
    const told = asked.flatMap(({ cell, request, shown }) => {
      const { caller } = cell;
      if (caller.standing !== 'member' || caller.reach !== 'elsewhere') return [];
      const text = without(shown.text, request.sent).toLowerCase();
      return text.includes(own.inside) ? [`${nameOf(cell)}: ${text.slice(0, 600)}`] : [];
    });
    expect(told.slice(0, 20)).toEqual([]);
  });

  test('nothing was added to it but notes that somebody tried, in which he has no word', async () => {
    const events = (await eventsAfter(world, start)).filter(
      ({ metadata }) => metadata['workspaceId'] === foreign.ids.workspaceId,
    );
    expect(events.filter((event) => !isNoteOfRefusal(event)).map(textOf)).toEqual([]);
    expect(events.map(textOf).filter((text) => /matrix-\d+-cell/.test(text) || text.includes(own.canary))).toEqual([]);
  });

  test('no row of it was changed, and none came but those notes', async () => {
    await settled();
    const notes = (await eventsAfter(world, start)).filter(isNoteOfRefusal).map(({ id }) => id);
    const rowsNow = await rowsWith(world, wordsOf(foreign));
    for (const [table, rows] of rowsNow) {
      const added = rows.filter((row) => !notes.some((id) => row.includes(id)));
      expect({ table, rows: added }).toEqual({ table, rows: rowsBefore.get(table) });
    }
  });

  test('no word is in what one’s own workspace wrote down, nor in a line of the log', async () => {
    const words = wordsOf(foreign);
    const mine = (await eventsAfter(world, start)).filter(
      ({ metadata }) => metadata['workspaceId'] !== foreign.ids.workspaceId,
    );
    const texts = [...mine.map(textOf), ...world.logged];
    expect(texts.filter((text) => words.some((each) => text.includes(each)))).toEqual([]);
  });
});

test('every command that was refused or rehearsed left nothing behind but notes: of refusals, of who asked', async () => {
  const events = await eventsAfter(world, start);
  const others = events.filter((event) => !isNoteOfRefusal(event) && !isUse(event));
  expect(others.map(textOf)).toEqual([]);
  expect(asked.filter(({ cell }) => isBad(cell)).length).toBeGreaterThan(asked.length / 2);
});

await onNats('The messages of it all', () =>
  messageRules(() => ({ world, own, foreign, asked, prefix: bus?.prefix ?? '' })),
);
