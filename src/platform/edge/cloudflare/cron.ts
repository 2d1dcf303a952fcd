import type { Schedule } from '../port.ts';

export type Crons =
  | { readonly ok: true; readonly crons: readonly string[] }
  | {
      readonly ok: false;
      readonly code: 'schedule_zone_unsupported' | 'schedule_unsupported';
      readonly detail: string;
    };

const dayNames: readonly string[] = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const utcNames = new Set(['UTC', 'ETC/UTC', 'ETC/GMT', 'GMT', 'ETC/UCT', 'UCT', 'ZULU', 'ETC/ZULU', 'ETC/UNIVERSAL']);

/**
 * The schedules as Cloudflare takes them: in UTC, days of the week by name, because its numbers begin with 1 for Sunday where
 * those of cron begin with 0.
 */
export const toCloudflareCrons = (schedules: readonly Schedule[]): Crons => {
  const crons: string[] = [];
  for (const { cron, timeZone } of schedules) {
    if (!utcNames.has(timeZone.toUpperCase())) {
      const detail = `Cloudflare knows no time zone but UTC, and "${cron}" is in ${timeZone}. Write it in UTC and submit again, or deploy to workerd.`;
      return { ok: false, code: 'schedule_zone_unsupported', detail };
    }
    const fields = cron.trim().split(/\s+/);
    const days = fields.length === 5 ? daysOf(fields[4] ?? '') : undefined;
    if (days === undefined) {
      const detail = `Cloudflare has no equal of "${cron}". Take five fields, with plain days of the week, and submit again.`;
      return { ok: false, code: 'schedule_unsupported', detail };
    }
    crons.push([...fields.slice(0, 4), days].join(' ').toUpperCase());
  }
  // The same twice is refused outside; here it is one schedule.
  return { ok: true, crons: [...new Set(crons)] };
};

/** `*`, or the days by name, Sunday first; undefined for what is no list of days, ranges and steps. */
const daysOf = (field: string): string | undefined => {
  if (field === '*' || field === '?') return '*';
  const chosen = new Set<number>();
  for (const part of field.split(',')) {
    const days = expand(part);
    if (!days) return undefined;
    for (const day of days) chosen.add(day % 7);
  }
  return chosen.size === 7 ? '*' : dayNames.filter((_, day) => chosen.has(day)).join(',');
};

const expand = (part: string): readonly number[] | undefined => {
  const [, range = '', stepText] = /^([^/]+)(?:\/([1-9]\d?))?$/.exec(part) ?? [];
  const step = stepText === undefined ? 1 : Number(stepText);
  const [fromText = '', toText, ...more] = range.split('-');
  const from = range === '*' ? 0 : dayOf(fromText);
  // A step without an end goes on to the end of the week.
  const open = range === '*' || stepText !== undefined ? 6 : from;
  const to = toText === undefined ? open : dayOf(toText, from);
  if (from === undefined || to === undefined || to < from || more.length > 0) return undefined;
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
};

/** 0 to 7, or a name; a Sunday that ends a range is the 7. */
const dayOf = (text: string, from = 0): number | undefined => {
  if (/^[0-7]$/.test(text)) return Number(text);
  const named = dayNames.indexOf(text.toUpperCase());
  if (named === -1) return undefined;
  return named === 0 && from > 0 ? 7 : named;
};
