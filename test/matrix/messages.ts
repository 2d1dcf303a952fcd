import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { StoredEvent } from '../../src/platform/eventLog/port.ts';
import type { ApiWorld } from '../support/api.ts';
import type { StoredMessage } from '../support/nats.ts';
import { type Asked, without } from './ask.ts';
import type { FullWorkspace } from './fullWorkspace.ts';
import { eventsAfter, isNoteOfRefusal, isUse, wordsOf } from './traces.ts';

/** All that a message may say, told by name: whatever else is in one is told to too many. */
const cloudEvent = z.strictObject({
  ...{ specversion: z.literal('1.0'), datacontenttype: z.literal('application/json') },
  ...{ id: z.string(), source: z.string(), type: z.string(), subject: z.string(), time: z.string() },
  ...{ position: z.string(), revision: z.number(), data: z.unknown() },
  ...{ workspaceid: z.string().optional(), departmentid: z.string().optional() },
  ...{ correlationid: z.string().optional(), causationid: z.string().optional() },
  ...{ actortype: z.string().optional(), actorid: z.string().optional() },
});

type Told = {
  readonly message: StoredMessage;
  /** What it tells of, by the log. */
  readonly event: StoredEvent | undefined;
  /** What its subject says, so that whoever listens there alone is told: a workspace, or the platform. */
  readonly listener: string;
  readonly text: string;
};

const workspaceOf = ({ metadata }: StoredEvent): string => String(metadata['workspaceId'] ?? '');

const toldBy = async (world: ApiWorld): Promise<{ events: readonly StoredEvent[]; told: readonly Told[] }> => {
  const events = await eventsAfter(world, 0n);
  const byId = new Map(events.map((event) => [event.id, event]));
  const told = (await world.published()).map((message) => ({
    ...{ message, event: byId.get(message.id), listener: message.subject.split('.')[1] ?? '' },
    text: `${message.subject}\n${message.headers}\n${message.body}`,
  }));
  return { events, told };
};

/** What is wrong with where a message went and with what it says of itself, against its event in the log. */
export const faultsOf = (
  { message: { id, subject, headers, body }, event }: Told,
  prefix: string,
): readonly string[] => {
  if (!event) return [`${subject}: of no event`];
  const [category = ''] = event.stream.split('-', 1);
  const workspaceId = workspaceOf(event);
  const said = cloudEvent.safeParse(JSON.parse(body));
  if (!said.success) return [`${subject}: ${said.error.message}`];
  const shown = { subject, id: said.data.id, of: said.data.workspaceid ?? '', about: said.data.subject };
  const right = {
    ...{ subject: `${prefix}.${workspaceId === '' ? 'platform' : workspaceId}.${category}.${event.type}`, id },
    ...{ of: workspaceId, about: event.stream.slice(category.length + 1) },
  };
  const names = headers.split('\r\n').flatMap((line) => (line.includes(':') ? [line.split(':', 1)[0]] : []));
  const extra = names.filter((name) => name !== 'Nats-Msg-Id' && name !== 'Nats-Expected-Stream');
  return [
    ...(JSON.stringify(shown) === JSON.stringify(right) ? [] : [`${JSON.stringify(shown)} of ${event.stream}`]),
    ...extra.map((name) => `${subject}: the header ${name}`),
  ];
};

type Matrix = {
  readonly world: ApiWorld;
  readonly prefix: string;
  readonly own: FullWorkspace;
  readonly foreign: FullWorkspace;
  readonly asked: readonly Asked[];
};

/** What JetStream has stored when everything was asked. */
export const messageRules = (matrix: () => Matrix): void => {
  let events: readonly StoredEvent[];
  let told: readonly Told[];
  beforeAll(async () => {
    ({ events, told } = await toldBy(matrix().world));
  }, 120_000);

  const cellOf = ({ event }: Told): Asked | undefined => {
    const [, index] = /^matrix-(\d+)-cell$/.exec(String(event?.metadata['$correlationId'])) ?? [];
    return index === undefined ? undefined : matrix().asked[Number(index)];
  };

  test('tell every event once, under the workspace that it is of, and say no more than they may', () => {
    expect(told.flatMap((each) => faultsOf(each, matrix().prefix)).slice(0, 20)).toEqual([]);
    expect(told.map(({ message }) => message.id).sort()).toEqual(events.map(({ id }) => id).sort());
  });

  test('have no word of another workspace, but what whoever is told of asked for himself', () => {
    const { own, foreign } = matrix();
    const words = { own: wordsOf(own), foreign: wordsOf(foreign) };
    const leaks = told.flatMap((each) => {
      const text = without(each.text, cellOf(each)?.request.sent ?? []);
      const found = (hidden: readonly string[]) => hidden.filter((word) => text.includes(word));
      const [mine, theirs] = [found(words.own), found(words.foreign)];
      if (each.listener === own.ids.workspaceId) return theirs.map((word) => `${word} in ${each.text}`);
      if (each.listener === foreign.ids.workspaceId) return mine.map((word) => `${word} in ${each.text}`);
      // People and their sessions are of no workspace: each is of one side all the same.
      const isOfBoth = mine.length > 0 && theirs.length > 0;
      const isOfNeither = each.listener === 'platform' ? isOfBoth : mine.length + theirs.length > 0;
      return isOfNeither ? [`${[...mine, ...theirs]} in ${each.text}`] : [];
    });
    expect(leaks.slice(0, 20)).toEqual([]);
    for (const { canary, ids } of [own, foreign]) {
      const heard = told.filter(({ listener, text }) => listener === ids.workspaceId && text.includes(canary));
      expect(heard.length).toBeGreaterThan(10);
    }
  });

  test('are of a request that was refused or rehearsed only as notes of it, in the workspace of who asked', () => {
    const ofCells = told.filter((each) => cellOf(each) !== undefined);
    const wrong = ofCells.filter((each) => {
      if (!each.event || each.listener === matrix().foreign.ids.workspaceId) return true;
      return !isUse(each.event) && !(isNoteOfRefusal(each.event) && (cellOf(each)?.shown.status ?? 0) >= 400);
    });
    expect(wrong.map(({ text }) => text).slice(0, 20)).toEqual([]);
    expect(ofCells.length).toBeGreaterThan(0);
  });
};
