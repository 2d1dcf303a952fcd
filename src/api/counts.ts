/** Keys that count nothing take no memory. */
export const createCounts = () => {
  const counts = new Map<string, number>();
  const of = (key: string): number => counts.get(key) ?? 0;
  return {
    of,
    add: (key: string, change: number): void => {
      const next = of(key) + change;
      if (next === 0) counts.delete(key);
      else counts.set(key, next);
    },
  };
};
