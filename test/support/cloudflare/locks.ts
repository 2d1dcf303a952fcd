/** At most one write at a time on one thing; who comes second is told, not queued. */
export type Locks = {
  /** Undefined when somebody holds it. */
  take(key: string): (() => void) | undefined;
};

export const createLocks = (): Locks => {
  const held = new Set<string>();
  return {
    take: (key) => {
      if (held.has(key)) return undefined;
      held.add(key);
      return () => {
        held.delete(key);
      };
    },
  };
};
