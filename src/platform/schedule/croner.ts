import { Cron } from 'croner';
import type { CheckedSchedule, Schedule, ScheduleRules } from './port.ts';

/** What Cloudflare and croner read alike: values, ranges, steps, lists, and names of months and days; no L, W or #. */
const part = /^(\*|\d{1,2}|SUN|MON|TUE|WED|THU|FRI|SAT|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)$/;
const isField = (text: string): boolean => text.split(/[,/-]/).every((each) => part.test(each));
const minuteMs = 60_000;

const canonicalCron = (cron: string): string => cron.trim().split(/\s+/).join(' ').toUpperCase();

/** The zone's own spelling; undefined when there is no such zone. */
const canonicalZone = (timeZone: string): string | undefined => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
};

const cronOf = ({ cron, timeZone }: Schedule): Cron =>
  new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true });

const fieldNames = ['minute', 'hour', 'day of month', 'month', 'day of week'] as const;

/** Which field it is, found by trying each without the others. */
const faultOf = (fields: readonly string[]): string => {
  for (const [at, name] of fieldNames.entries()) {
    const alone = fieldNames.map((_, other) => (other === at ? (fields[at] ?? '') : '*')).join(' ');
    try {
      cronOf({ cron: alone, timeZone: 'UTC' });
    } catch {
      return `the ${name} cannot be ${fields[at]}`;
    }
  }
  return 'a field holds what it cannot';
};

const check = ({ cron, timeZone }: Schedule): CheckedSchedule => {
  const refuse = (field: 'cron' | 'timeZone', reason: string): CheckedSchedule => ({ ok: false, field, reason });
  // An offset is accepted as a zone by some engines, and knows nothing of summer time.
  const zone = /^[A-Za-z]/.test(timeZone) ? canonicalZone(timeZone) : undefined;
  if (zone === undefined)
    return refuse('timeZone', `"${timeZone}" is no IANA time zone, such as Europe/Berlin or UTC.`);
  const schedule = { cron: canonicalCron(cron), timeZone: zone };
  const fields = schedule.cron.split(' ');
  if (fields.length !== 5 || !fields.every(isField)) {
    return refuse('cron', `"${cron}" is no schedule: give minute, hour, day of month, month and day of week.`);
  }
  try {
    if (cronOf(schedule).nextRun() === null) return refuse('cron', `"${cron}" never fires.`);
  } catch {
    return refuse('cron', `"${cron}" is no schedule: ${faultOf(fields)}.`);
  }
  return { ok: true, schedule };
};

/** Parsed schedules are kept, for they are asked every minute. */
const createParsed = (size: number) => {
  const known = new Map<string, Cron>();
  return (schedule: Schedule): Cron => {
    const key = `${schedule.cron} ${schedule.timeZone}`;
    const parsed = known.get(key) ?? cronOf(schedule);
    if (known.size >= size) known.clear();
    known.set(key, parsed);
    return parsed;
  };
};

export const createScheduleRules = (): ScheduleRules => {
  const parsed = createParsed(10_000);
  return {
    check,
    next: (schedule, after, limit) => {
      // Instants are whole minutes; a start within a minute must not find that minute again.
      const from = new Date(Math.floor(after / minuteMs) * minuteMs + minuteMs - 1);
      return parsed(schedule)
        .nextRuns(limit, from)
        .map((date) => date.getTime());
    },
  };
};
