import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScheduleRules } from '../../../src/platform/schedule/croner.ts';

const rules = createScheduleRules();
const at = (text: string): number => Date.parse(text);
const minuteMs = 60_000;

/** What the clock on the wall of a zone shows: an oracle of its own, a minute at a time. */
const wallClock = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', weekday: 'short' },
    ...{ month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
  });
  const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
  return (instant: number) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const number = (name: Intl.DateTimeFormatPartTypes) => Number(parts.get(name));
    return {
      ...{ minute: number('minute'), hour: number('hour'), day: number('day'), month: number('month') },
      weekday: days.indexOf(parts.get('weekday') ?? ''),
    };
  };
};

/** A day and a half, minute by minute; the same for every run. */
const known = new Map<string, readonly (ReturnType<ReturnType<typeof wallClock>> & { readonly instant: number })[]>();
const minutesAfter = (timeZone: string, from: number) => {
  const key = `${timeZone} ${from}`;
  const wall = wallClock(timeZone);
  const shown =
    known.get(key) ??
    Array.from({ length: 36 * 60 }, (_, index) => {
      const instant = from + (index + 1) * minuteMs;
      return { ...wall(instant), instant };
    });
  known.set(key, shown);
  return shown;
};

const changes = [
  ['Europe/Berlin', '2026-03-28T12:00:00Z'],
  ['Europe/Berlin', '2026-10-24T12:00:00Z'],
  ['America/New_York', '2026-03-07T12:00:00Z'],
  ['America/New_York', '2026-10-31T12:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T00:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T00:00:00Z'],
] as const;

describe('Instants of schedules', () => {
  it('a schedule with steps or lists fires at exactly the minutes that the wall clock of its zone shows, over every change of it (coolify#10904, node-cron#174)', () => {
    const minutes = fc.constantFrom(
      { text: '*/7', matches: (value: number) => value % 7 === 0 },
      { text: '0,30', matches: (value: number) => value === 0 || value === 30 },
      { text: '10-12', matches: (value: number) => value >= 10 && value <= 12 },
    );
    const hours = fc.constantFrom(
      { text: '*', matches: () => true },
      { text: '1-3', matches: (value: number) => value >= 1 && value <= 3 },
      { text: '*/2', matches: (value: number) => value % 2 === 0 },
    );
    const weekdays = fc.constantFrom(
      { text: '*', matches: () => true },
      { text: 'SUN', matches: (value: number) => value === 0 },
    );
    fc.assert(
      fc.property(minutes, hours, weekdays, fc.constantFrom(...changes), (minute, hour, weekday, [timeZone, begin]) => {
        const shown = minutesAfter(timeZone, at(begin));
        const until = shown.at(-1)?.instant ?? 0;
        const expected = shown
          .filter((each) => minute.matches(each.minute) && hour.matches(each.hour) && weekday.matches(each.weekday))
          .map(({ instant }) => instant);
        const schedule = { cron: `${minute.text} ${hour.text} * * ${weekday.text}`, timeZone };
        const found = rules.next(schedule, at(begin), 500).filter((instant) => instant <= until);
        expect(found).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    // 02:30 does not exist on 29 March: right after the gap, at 03:00.
    ['Europe/Berlin', '30 2 * * *', '2026-03-29T00:00:00Z', '2026-03-29T01:00:00Z'],
    // 02:30 exists twice on 25 October: at its first pass only.
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T22:30:00Z', '2026-10-25T00:30:00Z'],
    ['Europe/Berlin', '30 2 * * *', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'],
    ['America/New_York', '30 1 * * *', '2026-11-01T04:00:00Z', '2026-11-01T05:30:00Z'],
    ['America/New_York', '30 1 * * *', '2026-11-01T05:30:00Z', '2026-11-02T06:30:00Z'],
    // A gap of half an hour.
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T14:00:00Z', '2026-10-03T15:30:00Z'],
  ])('in %s a daily "%s" after %s fires at %s', (timeZone, cron, after, expected) => {
    expect(rules.next({ cron, timeZone }, at(after), 1)).toEqual([at(expected)]);
  });

  it('never answers an instant twice: what comes after an instant is later than it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 * 24 * 60 }), fc.integer({ min: 0, max: 59_999 }), (minute, ms) => {
        const after = at('2026-01-01T00:00:00Z') + minute * minuteMs + ms;
        const [next = 0] = rules.next({ cron: '* * * * *', timeZone: 'Europe/Berlin' }, after, 1);
        expect(next).toBeGreaterThan(after);
        expect(next - after).toBeLessThanOrEqual(minuteMs);
      }),
      { numRuns: 200 },
    );
  });
});

describe('Checking a schedule', () => {
  it('brings what means the same to the same text', () => {
    const canonical = { ok: true, schedule: { cron: '0 9 * * MON-FRI', timeZone: 'Europe/Berlin' } };
    expect(rules.check({ cron: ' 0  9 * * mon-fri ', timeZone: 'europe/berlin' })).toEqual(canonical);
  });

  it.each([
    ['61 * * * *', 'the minute cannot be 61'],
    ['0 24 * * *', 'the hour cannot be 24'],
    ['0 0 32 * *', 'the day of month cannot be 32'],
  ])('says which field of "%s" it is', (cron, reason) => {
    expect(rules.check({ cron, timeZone: 'UTC' })).toMatchObject({ reason: expect.stringContaining(reason) });
  });

  it.each([
    ['* * * *', 'UTC', 'cron'],
    ['* * * * * *', 'UTC', 'cron'],
    ['61 * * * *', 'UTC', 'cron'],
    ['@hourly', 'UTC', 'cron'],
    ['0 0 L * *', 'UTC', 'cron'],
    ['0 0 30 2 *', 'UTC', 'cron'],
    ['2027-01-01T00:00:00', 'UTC', 'cron'],
    ['0 0 * * *', 'Mars/Olympus', 'timeZone'],
    ['0 0 * * *', '+02:00', 'timeZone'],
    ['0 0 * * *', '', 'timeZone'],
  ])('refuses "%s" in "%s" for its %s', (cron, timeZone, field) => {
    expect(rules.check({ cron, timeZone })).toMatchObject({ ok: false, field });
  });
});
