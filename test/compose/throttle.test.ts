import { expect, test, vi } from 'vitest';
import { throttle } from '../../src/compose/throttle.ts';

test('the first call goes through at once, and however many follow are one at the end of the time', () => {
  vi.useFakeTimers();
  try {
    let calls = 0;
    const { call, stop } = throttle(() => {
      calls += 1;
    }, 25);
    call();
    expect(calls).toBe(1);
    for (let index = 0; index < 100; index += 1) call();
    expect(calls).toBe(1);
    vi.advanceTimersByTime(25);
    expect(calls).toBe(2);
    vi.advanceTimersByTime(100);
    expect(calls).toBe(2);
    call();
    expect(calls).toBe(3);
    call();
    stop();
    vi.advanceTimersByTime(100);
    expect(calls).toBe(3);
  } finally {
    vi.useRealTimers();
  }
});
