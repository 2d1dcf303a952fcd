const halfLifeMs = 1_000;
const mostKept = 1_000;

/** For how many milliseconds each owner was worked for of late; half of it is forgotten in a second. */
export const createUsage = (now: () => number) => {
  const used = new Map<string, { readonly ms: number; readonly at: number }>();
  const of = (key: string): number => {
    const entry = used.get(key);
    return entry ? entry.ms * 0.5 ** (Math.max(0, now() - entry.at) / halfLifeMs) : 0;
  };
  const forgetLittle = (): void => {
    for (const key of [...used.keys()]) if (of(key) < 1) used.delete(key);
    // Of the many who are left the ones that were not served for the longest time.
    for (const key of used.keys()) {
      if (used.size <= mostKept / 2) break;
      used.delete(key);
    }
  };
  return {
    of,
    add: (key: string, ms: number): void => {
      const sum = of(key) + Math.max(0, ms);
      used.delete(key);
      used.set(key, { ms: sum, at: now() });
      if (used.size > mostKept) forgetLittle();
    },
  };
};
