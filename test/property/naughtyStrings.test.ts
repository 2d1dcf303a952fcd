import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock, systemRandom } from '../../src/platform/clock/system.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { openNats } from '../../src/platform/nats/nats.ts';
import { digestTables } from '../../src/projections/engine/index.ts';
import { tables } from '../../src/projections/tables.ts';
import { republish } from '../../src/sagas/publisher.ts';
import { eventsAfter } from '../matrix/traces.ts';
import { onEveryDatabase } from '../support/database.ts';
import { onNats, startTestBus } from '../support/nats.ts';
import { type Sendings, sendTexts } from './sendTexts.ts';
import { nameOf, textFields } from './textFields.ts';
import type { TextFixture } from './textFixture.ts';
import { inAnswers, inMessages, inTables, inTheLog, type Kept } from './textPlaces.ts';
import { choiceTexts } from './textsOfChoices.ts';
import { credentialNames, organisation } from './textsOfNames.ts';
import { comparedTexts } from './textsOfRequests.ts';
import { credentialValues, passwordTexts, workerSecrets } from './textsOfSecrets.ts';
import { asKept, asSubmitted, refusedFiles, type Submitted, submitTexts, variablesIn } from './textsOfSubmissions.ts';
import { hostnameTexts, resourceTexts, webhookTexts } from './textsOfThings.ts';
import { type Door, openDoor, type StartedPlace, startTextPlace } from './textWorld.ts';

// Every string that openapi.json lets a request bring × every string of the list, and of a list of our own: each is refused
// with the name of its field, or kept as docs/texts.md says, and then it is the same bytes in every place that has it.

const all = textFields().map(nameOf);

let place: StartedPlace;
let fixtures: readonly TextFixture[];
let sendings: Sendings;
let submitted: readonly Submitted[];
let found: Awaited<ReturnType<typeof inTheLog>>;

beforeAll(async () => {
  place = await startTextPlace();
  fixtures = [organisation, credentialNames, resourceTexts, webhookTexts, hostnameTexts]
    .concat([credentialValues, workerSecrets, passwordTexts, comparedTexts, refusedFiles, choiceTexts])
    .flatMap((make) => make(place));
  const began = performance.now();
  sendings = await place.withoutTables(() => sendTexts(place, fixtures));
  submitted = await submitTexts(place);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.info(`Texts: ${sendings.asked} requests in ${seconds} s, ${sendings.refused} to be refused.`);
  found = await inTheLog(place, sendings.told);
}, 240_000);

afterAll(async () => {
  await place?.stop();
});

const named = ({ operation, fields }: TextFixture): readonly string[] =>
  Object.keys(fields).map((way) => nameOf({ operation: { id: operation }, way }));

describe('Every text of a request', () => {
  test('has a fixture: add what is to become of it in test/property/texts*.ts', () => {
    const told = new Set([...fixtures.flatMap(named)]);
    expect(all.filter((name) => !told.has(name))).toEqual([]);
    const known = new Set(all);
    expect([...told].filter((name) => !known.has(name))).toEqual([]);
  });

  test.each(all)('is kept, or refused by its name: %s', (name) => {
    const faults = sendings.faults.get(name) ?? [];
    expect({ count: faults.length, first: faults.slice(0, 5) }).toEqual({ count: 0, first: [] });
  });

  test('is in the log as it is kept, or opens to it', () => {
    expect(found.faults.slice(0, 10)).toEqual([]);
    expect(found.kept.length).toBeGreaterThan(5_000);
  });

  test('is in the source and the settings of a revision as it was sent', async () => {
    const events = await eventsAfter(place.world, 0n);
    for (const each of submitted) expect(await asKept(place, each, events)).toEqual(asSubmitted(each));
  });

  test('is no fault of the program', () => {
    expect(place.world.loggedErrors).toEqual([]);
  });
});

const third = (of: number) => (n: number) => n % 3 === of;
const doors = ['PGlite', 'PostgreSQL', 'MariaDB'];
/** Of all rows of all tables. */
const rowsOf = async ({ database }: Pick<Door, 'database'>): Promise<string> =>
  JSON.stringify([...(await digestTables(database, tables))].map(([name, { rows, sha256 }]) => [name, rows, sha256]));

await onEveryDatabase('Every text that was kept', (target) => {
  test('is the same in rows, in the trail, in the feed and in every answer', async () => {
    const door = await openDoor(place, target);
    try {
      expect((await inTables(door.database, found.kept)).slice(0, 10)).toEqual([]);
      for (const each of submitted) expect(await variablesIn(door, each)).toEqual(each.variables);
      const answers = await inAnswers(door.wire, place, found.kept, third(doors.indexOf(target.name)));
      expect(answers.slice(0, 10)).toEqual([]);
      expect(await rowsOf(door)).toBe(await rowsOf(place.world));
    } finally {
      await door.close();
    }
  }, 120_000);
});

await onNats('Every text that was kept', () => {
  test('is the same in the message', async () => {
    const bus = await startTestBus();
    const nats = await openNats({ url: bus.url, stream: bus.stream, subjectPrefix: bus.prefix, logger: silentLog });
    try {
      const parts = { log: place.world.log, bus: nats, clock: systemClock, random: systemRandom, logger: silentLog };
      await republish({ ...parts, subjectPrefix: bus.prefix }, {});
      const kept: readonly Kept[] = found.kept;
      expect(inMessages(await bus.messages(), kept).slice(0, 10)).toEqual([]);
    } finally {
      await nats.close();
      await bus.stop();
    }
  }, 60_000);
});
