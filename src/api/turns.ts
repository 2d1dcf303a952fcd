import { setTimeout as sleep } from 'node:timers/promises';
import { ClientGone } from './body.ts';
import { createFairQueue, type FairLimits, type FairQueue, type FairQueuePorts, QueueFull } from './fairQueue.ts';
import type { ApiRequest } from './request.ts';

/** Kinds of work that take turns each among themselves: what is slow by nature must not hold up what is quick. */
export const turnKinds = ['requests', 'lookBacks', 'builds', 'about'] as const;
export type TurnKind = (typeof turnKinds)[number];

export type TurnLimits = Readonly<Record<TurnKind, FairLimits>>;
export type Turns = Readonly<Record<TurnKind, FairQueue>>;

export const turnLimits: TurnLimits = {
  requests: { total: 64, alone: 48, shared: 3, waiting: 256, presenceMs: 2_000, yieldMs: 100 },
  // Of `?at=` and of differences: each makes tables, or folds streams from their beginning.
  lookBacks: { total: 8, alone: 4, shared: 2, waiting: 16, presenceMs: 10_000, yieldMs: 0 },
  // As many as there are processes that build, one of which is left for whoever comes next.
  builds: { total: 3, alone: 2, shared: 1, waiting: 6, presenceMs: 30_000, yieldMs: 0 },
  // Readiness and metrics, by address.
  about: { total: 8, alone: 6, shared: 2, waiting: 32, presenceMs: 2_000, yieldMs: 0 },
};

export const createTurns = (limits: TurnLimits, now: () => number): Turns => {
  const ports: FairQueuePorts = { now, after: (ms, call) => void setTimeout(call, ms).unref() };
  return {
    requests: createFairQueue(limits.requests, ports),
    lookBacks: createFairQueue(limits.lookBacks, ports),
    builds: createFairQueue(limits.builds, ports),
    about: createFairQueue(limits.about, ports),
  };
};

/** Does the work when it is the owner's turn, unless nobody is there any more who wants it. Throws QueueFull and ClientGone. */
export const inTurn = <Result>(
  { limiters, raw }: Pick<ApiRequest, 'limiters' | 'raw'>,
  kind: TurnKind | 'none',
  owner: string,
  work: () => Promise<Result>,
): Promise<Result> => {
  if (kind === 'none') return work();
  return limiters.turns[kind].run(owner, () => {
    if (raw.socket.destroyed) throw new ClientGone();
    return work();
  });
};

/** How long somebody waits whose queue is full, and who has been answered in part already. */
const againMs = 250;

/** A bit of an answer that is made bit by bit: in the owner's turn, and when he has taken enough of what was made before. */
export type MakeBit = <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>;

/** Throws ClientGone. */
export const bitByBit =
  (request: Pick<ApiRequest, 'limiters' | 'raw'>, owner: string): MakeBit =>
  async (signal, work) => {
    for (;;) {
      await request.limiters.answers.room(owner, signal);
      try {
        return await inTurn(request, 'requests', owner, work);
      } catch (error) {
        if (!(error instanceof QueueFull) || signal.aborted) throw error;
        await sleep(againMs);
      }
    }
  };
