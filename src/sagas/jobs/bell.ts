/** Something that happens once. What a signal tells, without what a signal costs: every job has some, and few ever ring. */
export type Bell = {
  readonly rung: () => boolean;
  readonly ring: () => void;
  /** Called when it rings; at once when it has. */
  readonly onRing: (listener: () => void) => void;
};

export const createBell = (): Bell => {
  let rung = false;
  let listeners: (() => void)[] = [];
  return {
    rung: () => rung,
    ring: () => {
      if (rung) return;
      rung = true;
      const told = listeners;
      listeners = [];
      for (const listener of told) listener();
    },
    onRing: (listener) => {
      if (rung) listener();
      else listeners.push(listener);
    },
  };
};

export const signalOf = (bell: Bell): AbortSignal => {
  const controller = new AbortController();
  bell.onRing(() => controller.abort());
  return controller.signal;
};
