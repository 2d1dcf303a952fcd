import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/platform/clock/port.ts';
import { createAlarms } from '../../src/sagas/alarms.ts';

/** A clock by hand that tells how many sleeps there are; `set` moves its hands without time passing. */
const createHandClock = () => {
  let now = 0;
  let passed = 0;
  const sleepers = new Map<() => void, number>();
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          sleepers.delete(wake);
          resolve();
        };
        sleepers.set(wake, passed + ms);
        signal?.addEventListener('abort', wake, { once: true });
      }),
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    clock,
    settled,
    sleeps: () => sleepers.size,
    set: (to: number): void => {
      now = to;
    },
    pass: async (ms: number): Promise<void> => {
      now += ms;
      passed += ms;
      for (const [wake, until] of [...sleepers]) if (until <= passed) wake();
      await settled();
    },
  };
};

const ringing = () => {
  const hand = createHandClock();
  const alarms = createAlarms(hand.clock);
  const rung: string[] = [];
  return { ...hand, rung, ring: (ms: number, name: string) => alarms.after(ms, () => rung.push(name)) };
};

describe('Alarms', () => {
  test('each rings once, in its time, whatever the order in which they were set', async () => {
    const { ring, pass, rung } = ringing();
    ring(300, 'late');
    ring(100, 'soon');
    await pass(99);
    expect(rung).toEqual([]);
    await pass(1);
    expect(rung).toEqual(['soon']);
    ring(50, 'between');
    await pass(50);
    expect(rung).toEqual(['soon', 'between']);
    await pass(150);
    await pass(1_000);
    expect(rung).toEqual(['soon', 'between', 'late']);
  });

  test('one that is called off does not ring, and the others do', async () => {
    const { ring, pass, rung } = ringing();
    const callOff = ring(100, 'called off');
    ring(100, 'stays');
    callOff();
    callOff();
    await pass(100);
    expect(rung).toEqual(['stays']);
  });

  test('all of them share one sleep, and without any there is none', async () => {
    const { ring, settled, sleeps } = ringing();
    const callsOff = Array.from({ length: 100 }, (_, index) => ring(1_000 - index, String(index)));
    await settled();
    expect(sleeps()).toBe(1);
    for (const callOff of callsOff) callOff();
    await settled();
    expect(sleeps()).toBe(0);
  });

  test('one that another sets or calls off while it rings is heeded', async () => {
    const { clock, pass } = createHandClock();
    const alarms = createAlarms(clock);
    const rung: string[] = [];
    alarms.after(100, () => {
      rung.push('first');
      callOff();
      alarms.after(100, () => rung.push('third'));
    });
    const callOff = alarms.after(100, () => rung.push('second'));
    await pass(100);
    expect(rung).toEqual(['first']);
    await pass(100);
    expect(rung).toEqual(['first', 'third']);
  });

  test('a clock that is set back an hour makes none of them wait for it', async () => {
    const { ring, pass, set, settled, rung } = ringing();
    ring(10_000, 'in ten seconds');
    set(-3_600_000);
    ring(2_000, 'in two');
    await settled();
    await pass(2_000);
    expect(rung).toEqual(['in two']);
    await pass(8_000);
    expect(rung).toEqual(['in two', 'in ten seconds']);
  });
});
