import type { Clock } from '../platform/clock/port.ts';

/**
 * Many short waits that share one sleep: most of them are called off before their time, and a sleep with a signal of its own
 * for each costs more than quick work takes.
 */
export type Alarms = {
  /** Calls `ring` once, after `ms` or a little more; not at all once what is answered was called. */
  after(ms: number, ring: () => void): () => void;
};

/** A sleep that ended later than that tells of a clock that was set, or of a process that stood still. */
const mostLateMs = 1_000;

type Alarm = { readonly at: number; readonly ring: () => void };
type Sleep = { readonly since: number; readonly ms: number; readonly wake: AbortController };

export const createAlarms = ({ now, sleep }: Clock): Alarms => {
  const alarms = new Set<Alarm>();
  // Counted from what was slept, as the clock may be set anew meanwhile.
  let slept = 0;
  let current: Sleep | undefined;
  let watching = false;

  const sleptOf = ({ since, ms, wake }: Sleep, ended: boolean): number =>
    Math.min(ms + mostLateMs, Math.max(ended && !wake.signal.aborted ? ms : 0, now() - since));
  const time = (): number => slept + (current ? sleptOf(current, false) : 0);
  const ringAll = (): void => {
    for (const alarm of alarms) {
      if (alarm.at > slept) continue;
      alarms.delete(alarm);
      alarm.ring();
    }
  };
  const watch = async (): Promise<void> => {
    watching = true;
    while (alarms.size > 0) {
      let earliest = Number.POSITIVE_INFINITY;
      for (const { at } of alarms) earliest = Math.min(earliest, at);
      const one: Sleep = { since: now(), ms: Math.max(0, earliest - slept), wake: new AbortController() };
      current = one;
      await sleep(one.ms, one.wake.signal);
      current = undefined;
      slept += sleptOf(one, true);
      ringAll();
    }
    watching = false;
  };

  return {
    after: (ms, ring) => {
      const alarm: Alarm = { at: time() + ms, ring };
      alarms.add(alarm);
      if (!watching) void watch();
      else if (current && alarm.at < slept + current.ms) current.wake.abort('earlier');
      return () => {
        if (alarms.delete(alarm) && alarms.size === 0) current?.wake.abort('nothing to wait for');
      };
    },
  };
};
