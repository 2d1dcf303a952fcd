import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Bytes of answers that lie here because whoever asked does not take them; of all, over all owners. */
export type AnswerLimits = { readonly total: number };

export type AnswerBudget = {
  /** Counts what lies of an answer from now on, until it is taken or the connection is gone. */
  readonly watch: (owner: string, response: ServerResponse) => void;
  /** Does so much lie of this owner that nothing more is made for him? */
  readonly isFull: (owner: string) => boolean;
  /** Resolves when it is not, or the signal aborts. */
  readonly room: (owner: string, signal: AbortSignal) => Promise<void>;
  readonly bytes: () => number;
};

/** How long somebody who does not read is left before he is looked at again. */
const lookMs = 100;

/**
 * What has been handed to the network is not counted: the system bounds it. As for bodies, an owner's answers are no more than
 * is left free, so that he leaves room to any number of others. What was begun by then comes on top, and whoever has nothing
 * lying here is answered in any case.
 */
export const createAnswerBudget = ({ total }: AnswerLimits): AnswerBudget => {
  const lying = new Map<string, Set<ServerResponse>>();
  const bytesOf = (owner: string): number => {
    let bytes = 0;
    for (const response of lying.get(owner) ?? []) bytes += response.writableLength;
    return bytes;
  };
  const bytes = (): number => [...lying.keys()].reduce((sum, owner) => sum + bytesOf(owner), 0);
  const isFull = (owner: string): boolean => {
    const own = bytesOf(owner);
    return own > 0 && own >= total - bytes();
  };
  return {
    bytes,
    isFull,
    watch: (owner, response) => {
      if (response.destroyed || response.writableFinished) return;
      const own = lying.get(owner) ?? new Set();
      lying.set(owner, own.add(response));
      response.once('close', () => {
        own.delete(response);
        if (own.size === 0 && lying.get(owner) === own) lying.delete(owner);
      });
    },
    room: async (owner, signal) => {
      while (isFull(owner) && !signal.aborted) await sleep(lookMs, undefined, { signal }).catch(() => undefined);
    },
  };
};
