import { setTimeout as sleep } from 'node:timers/promises';

export type HoldLimits = {
  readonly ms: number;
  /** Answers that are held at once. */
  readonly most: number;
};

export type HeldAnswers = {
  /** Resolves after the time; at once with false when too many are held. */
  hold(): Promise<boolean>;
  count(): number;
};

/**
 * Whoever was told to wait a second loses nothing by hearing it a quarter of a second later. Whoever asks again as soon as he
 * is answered asks four times a second on each connection, not thousands of times.
 */
export const createHeldAnswers = ({ ms, most }: HoldLimits): HeldAnswers => {
  let held = 0;
  return {
    hold: async () => {
      if (held >= most) return false;
      held += 1;
      await sleep(ms);
      held -= 1;
      return true;
    },
    count: () => held,
  };
};
