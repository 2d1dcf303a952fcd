/** Five fields of cron, in an IANA time zone. */
export type Schedule = { readonly cron: string; readonly timeZone: string };

export type CheckedSchedule =
  | { readonly ok: true; readonly schedule: Schedule }
  | { readonly ok: false; readonly field: 'cron' | 'timeZone'; readonly reason: string };

/**
 * When schedules fire. Over a change of the clock: a schedule of one minute and one hour fires once in a repeated hour, at
 * its first pass, and right after the gap when its time is skipped; any other fires in real time, in both passes of a
 * repeated hour, and not at times that are skipped.
 */
export type ScheduleRules = {
  /** In its canonical form, so that equal schedules are equal texts. */
  check(schedule: Schedule): CheckedSchedule;
  /** The first instants after `after`, in milliseconds since the epoch, at most `limit`; fewer when it never fires again. */
  next(schedule: Schedule, after: number, limit: number): readonly number[];
};
