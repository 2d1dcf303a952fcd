import type { Log } from '../platform/log/port.ts';
import type { DueWork } from './runner.ts';

export type DueWorkSource = (limit: number) => Promise<readonly DueWork[]>;

/**
 * One list out of several, taking from each in turn, so that a long queue does not hide a short one. A source that cannot
 * be read now holds up none of the others.
 */
export const mergeDueWork =
  (sources: readonly DueWorkSource[], log: Log): DueWorkSource =>
  async (limit) => {
    const lists = await Promise.all(
      sources.map(async (source) =>
        source(limit).catch((error: unknown) => {
          log.warn({ err: error }, 'runner: some of the due work cannot be read now');
          return [];
        }),
      ),
    );
    const longest = Math.max(0, ...lists.map((list) => list.length));
    const merged: DueWork[] = [];
    for (let place = 0; place < longest && merged.length < limit; place += 1) {
      for (const list of lists) {
        const work = list[place];
        if (work !== undefined) merged.push(work);
      }
    }
    return merged.slice(0, limit);
  };
