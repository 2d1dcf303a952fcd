/** First come, first served. `acquire` resolves with the function that passes the turn on. */
export type Mutex = { acquire(timeoutMs?: number): Promise<() => void> };

export const createMutex = (): Mutex => {
  const waiting: (() => void)[] = [];
  let held = false;
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) held = false;
    else next();
  };
  const onceOnly = (): (() => void) => {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      release();
    };
  };
  return {
    acquire: (timeoutMs) => {
      if (!held) {
        held = true;
        return Promise.resolve(onceOnly());
      }
      return new Promise((resolve, reject) => {
        const timer = timeoutMs === undefined ? undefined : setTimeout(() => giveUp(timeoutMs), timeoutMs);
        const turn = (): void => {
          clearTimeout(timer);
          resolve(onceOnly());
        };
        const giveUp = (waitedMs: number): void => {
          waiting.splice(waiting.indexOf(turn), 1);
          reject(new Error(`Waited ${waitedMs} ms for the only connection`));
        };
        waiting.push(turn);
      });
    },
  };
};
