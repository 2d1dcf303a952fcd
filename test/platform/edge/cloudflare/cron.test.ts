import { Cron } from 'croner';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCloudflareCrons } from '../../../../src/platform/edge/cloudflare/cron.ts';
import { createWorld } from './world.ts';

const inUtc = (cron: string) => toCloudflareCrons([{ cron, timeZone: 'UTC' }]);

describe('Schedules at Cloudflare', () => {
  test.each([
    ['0 9 * * 1-5', '0 9 * * MON,TUE,WED,THU,FRI'],
    ['0 9 * * 0', '0 9 * * SUN'],
    ['0 9 * * 7', '0 9 * * SUN'],
    ['0 9 * * sun', '0 9 * * SUN'],
    ['0 9 * * */2', '0 9 * * SUN,TUE,THU,SAT'],
    ['0 9 * * 1/2', '0 9 * * MON,WED,FRI'],
    ['0 9 * * fri-sun', '0 9 * * SUN,FRI,SAT'],
    ['0 9 * * 0-6', '0 9 * * *'],
    ['*/5 0-4 1,15 jan *', '*/5 0-4 1,15 JAN *'],
  ])('%s is said as %s, because their numbers of days are not ours', (cron, theirs) => {
    expect(inUtc(cron)).toEqual({ ok: true, crons: [theirs] });
  });

  test('another zone than UTC is refused with two ways out', () => {
    const refused = toCloudflareCrons([{ cron: '0 9 * * *', timeZone: 'Europe/Berlin' }]);
    expect(refused).toMatchObject({ ok: false, code: 'schedule_zone_unsupported' });
    expect(refused).toMatchObject({ detail: expect.stringMatching(/UTC.*workerd/) });
    expect(toCloudflareCrons([{ cron: '0 9 * * *', timeZone: 'Etc/UTC' }])).toMatchObject({ ok: true });
  });

  test.each(['0 9 * * 5L', '0 9 * * MON#2', '0 9 * * 8', '0 9 * * 5-1', '* * * * * *', '0 9 * *'])(
    '%s has no equal there and is refused',
    (cron) => {
      expect(inUtc(cron)).toMatchObject({ ok: false, code: 'schedule_unsupported' });
    },
  );

  test('the same schedule twice is one', () => {
    const twice = [
      { cron: '0 9 * * 1', timeZone: 'UTC' },
      { cron: '0 9 * * mon', timeZone: 'Etc/UTC' },
    ];
    expect(toCloudflareCrons(twice)).toEqual({ ok: true, crons: ['0 9 * * MON'] });
  });

  test('every list of days means the same days as before', () => {
    const day = fc.integer({ min: 0, max: 7 });
    const range = fc
      .tuple(day, day)
      .filter(([from, to]) => from < to)
      .map(([from, to]) => `${from}-${to}`);
    const part = fc.oneof(
      day.map(String),
      range,
      fc.tuple(range, fc.integer({ min: 1, max: 3 })).map(([r, s]) => `${r}/${s}`),
    );
    const days = (cron: string) =>
      new Set(
        new Cron(cron, { timezone: 'UTC' }).nextRuns(7, new Date('2026-06-01T00:00:00Z')).map((run) => run.getUTCDay()),
      );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
        const cron = `0 9 * * ${parts.join(',')}`;
        const theirs = inUtc(cron);
        if (!theirs.ok) throw new Error(theirs.detail);
        expect(days(theirs.crons[0] ?? '')).toEqual(days(cron));
      }),
      { numRuns: 60 },
    );
  });

  test('a schedule of another zone ends the deployment before anything is made', async () => {
    const world = await createWorld();
    const schedules = [{ cron: '0 9 * * *', timeZone: 'Europe/Berlin' }];
    expect(await world.deploy('t1', { schedules })).toBe('failed');
    expect(world.reasonOf('t1')).toBe('schedule_zone_unsupported');
    expect(world.cloudflare.requests).toEqual([]);
  });
});
