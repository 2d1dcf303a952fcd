import type { Draws } from './random.ts';

/** What becomes of a request to the cloud. */
export type CloudFault =
  | 'none'
  | 'unreachable'
  | 'tooMany'
  | 'conflict'
  | 'refused'
  | 'lostBefore'
  | 'lostAfter'
  | 'late'
  | 'silent';
export type LogFault = 'none' | 'before' | 'after' | 'slow';

/** Decides, by the seed, what goes wrong; nothing does once the chaos is over. */
export type Faults = {
  end(): void;
  cloud(changes: boolean): CloudFault;
  machine(): 'none' | 'retry' | 'throws' | 'refused' | 'slow';
  /** The provider's own code is at fault. */
  throws(): boolean;
  append(): LogFault;
  readFails(): boolean;
  tableFails(): boolean;
  checkpointFails(): boolean;
  wakeIsLost(): boolean;
  /** Until when this process does not reach the log. */
  cutOff(process: string, until: number): void;
  isCutOff(process: string, now: number): boolean;
};

const weighted = <Kind extends string>(
  draws: Draws,
  kinds: readonly (readonly [Kind, number])[],
  other: Kind,
): Kind => {
  let left = draws.fraction();
  for (const [kind, weight] of kinds) {
    left -= weight;
    if (left < 0) return kind;
  }
  return other;
};

export const createFaults = (draws: Draws): Faults => {
  let on = true;
  // Some worlds are rough, some nearly calm: rare combinations need quiet around them.
  const rough = draws.pick([0.3, 0.7, 1.2]);
  const cutOffUntil = new Map<string, number>();
  const happens = (probability: number): boolean => on && draws.chance(probability * rough);
  return {
    end: () => {
      on = false;
      cutOffUntil.clear();
    },
    cloud: (changes) => {
      if (!on) return 'none';
      if (!changes)
        return weighted(
          draws,
          [
            ['unreachable', 0.05 * rough],
            ['silent', 0.02 * rough],
            ['tooMany', 0.03 * rough],
          ],
          'none',
        );
      return weighted(
        draws,
        [
          ...([
            ['unreachable', 0.05 * rough],
            ['tooMany', 0.06 * rough],
            ['conflict', 0.05 * rough],
          ] as const),
          ...([
            ['refused', 0.02 * rough],
            ['lostBefore', 0.06 * rough],
            ['lostAfter', 0.1 * rough],
          ] as const),
          ...([
            ['late', 0.1 * rough],
            ['silent', 0.04 * rough],
          ] as const),
        ],
        'none',
      );
    },
    machine: () =>
      on
        ? weighted(
            draws,
            [
              ['retry', 0.06 * rough],
              ['throws', 0.05 * rough],
              ['refused', 0.02 * rough],
              ['slow', 0.1 * rough],
            ],
            'none',
          )
        : 'none',
    throws: () => happens(0.02),
    append: () =>
      on
        ? weighted(
            draws,
            [
              ['before', 0.02 * rough],
              ['after', 0.03 * rough],
              ['slow', 0.04 * rough],
            ],
            'none',
          )
        : 'none',
    readFails: () => happens(0.02),
    tableFails: () => happens(0.03),
    checkpointFails: () => happens(0.05),
    wakeIsLost: () => happens(0.1),
    cutOff: (process, until) => void cutOffUntil.set(process, until),
    isCutOff: (process, now) => (cutOffUntil.get(process) ?? 0) > now,
  };
};
