/** Bytes of request bodies that may be in memory: of all callers, and of one of them. */
export type BodyLimits = { readonly total: number; readonly perCaller: number };

export type BodyBudget = {
  /** Begins the account of one request. */
  readonly open: (caller: string) => HeldBody;
};
export type HeldBody = {
  /** False when the bytes do not fit; then they are not counted. */
  readonly take: (bytes: number) => boolean;
  readonly release: () => void;
};

/** Counts what has arrived, not what was announced: many slow uploads cannot fill the memory, nor can one caller keep others out. */
export const createBodyBudget = ({ total, perCaller }: BodyLimits): BodyBudget => {
  const byCaller = new Map<string, number>();
  let all = 0;
  const add = (caller: string, bytes: number): void => {
    all += bytes;
    const own = (byCaller.get(caller) ?? 0) + bytes;
    if (own === 0) byCaller.delete(caller);
    else byCaller.set(caller, own);
  };
  return {
    open: (caller) => {
      let held = 0;
      return {
        take: (bytes) => {
          if (all + bytes > total || (byCaller.get(caller) ?? 0) + bytes > perCaller) return false;
          held += bytes;
          add(caller, bytes);
          return true;
        },
        release: () => {
          add(caller, -held);
          held = 0;
        },
      };
    },
  };
};
