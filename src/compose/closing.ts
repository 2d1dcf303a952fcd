export type Closing = { add(step: () => unknown): void; close(): Promise<void> };

/** Things to close, newest first; closing goes on when one of them fails, and the first failure is thrown at the end. */
export const createClosing = (): Closing => {
  const steps: (() => unknown)[] = [];
  return {
    add: (step) => {
      steps.push(step);
    },
    close: async () => {
      const failures: unknown[] = [];
      for (const step of steps.splice(0).reverse()) {
        try {
          await step();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
};
