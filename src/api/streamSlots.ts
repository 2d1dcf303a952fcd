export type StreamLimits = { readonly total: number; readonly perCaller: number };

export type StreamSlots = {
  /** The answer gives the slot back and may be called more than once; undefined when there is none. */
  readonly take: (caller: string) => (() => void) | undefined;
};

/** Streams stay open: counted in all and for each caller, so that nobody keeps the others out. */
export const createStreamSlots = ({ total, perCaller }: StreamLimits): StreamSlots => {
  const open = new Map<string, number>();
  let all = 0;
  return {
    take: (caller) => {
      const own = open.get(caller) ?? 0;
      if (all >= total || own >= perCaller) return undefined;
      all += 1;
      open.set(caller, own + 1);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        all -= 1;
        const left = (open.get(caller) ?? 1) - 1;
        if (left === 0) open.delete(caller);
        else open.set(caller, left);
      };
    },
  };
};
