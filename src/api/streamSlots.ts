import { createCounts } from './counts.ts';

export type StreamLimits = { readonly total: number; readonly perWorkspace: number; readonly perCaller: number };

export type StreamSlots = {
  /** The answer gives the slot back and may be called more than once; undefined when there is none. */
  readonly take: (workspaceId: string, caller: string) => (() => void) | undefined;
  readonly open: () => number;
};

/**
 * Streams stay open: counted in all, for each workspace and for each caller, so that nobody keeps the others out. A
 * workspace makes as many tokens as it likes, and each of them is a caller.
 */
export const createStreamSlots = ({ total, perWorkspace, perCaller }: StreamLimits): StreamSlots => {
  const ofWorkspaces = createCounts();
  const ofCallers = createCounts();
  let all = 0;
  return {
    open: () => all,
    take: (workspaceId, caller) => {
      if (all >= total || ofWorkspaces.of(workspaceId) >= perWorkspace || ofCallers.of(caller) >= perCaller) {
        return undefined;
      }
      const add = (change: 1 | -1): void => {
        all += change;
        ofWorkspaces.add(workspaceId, change);
        ofCallers.add(caller, change);
      };
      add(1);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        add(-1);
      };
    },
  };
};
