import { createCounts } from './counts.ts';

/** Bytes of request bodies that may be in memory: of all callers, and of one of them. */
export type BodyLimits = { readonly total: number; readonly perCaller: number };

/** `owner`: the workspace that it is for. Its members and tokens are as many callers as it likes. */
export type Sender = { readonly caller: string; readonly owner: string };

export type BodyBudget = {
  /** Begins the account of one request. */
  readonly open: (sender: Sender) => HeldBody;
  readonly bytes: () => number;
};
export type HeldBody = {
  /** False when the bytes do not fit; then they are not counted. */
  readonly take: (bytes: number) => boolean;
  readonly release: () => void;
};

/**
 * Counts what has arrived, not what was announced: many slow uploads cannot fill the memory, nor can one caller keep others
 * out. An owner holds no more than is left free, so that n of them who take all they get leave the next one 1/(n + 1).
 */
export const createBodyBudget = ({ total, perCaller }: BodyLimits): BodyBudget => {
  const ofCallers = createCounts();
  const ofOwners = createCounts();
  let all = 0;
  return {
    bytes: () => all,
    open: ({ caller, owner }) => {
      let held = 0;
      const add = (bytes: number): void => {
        held += bytes;
        all += bytes;
        ofCallers.add(caller, bytes);
        ofOwners.add(owner, bytes);
      };
      const fits = (bytes: number): boolean =>
        ofCallers.of(caller) + bytes <= perCaller && ofOwners.of(owner) + bytes <= total - all - bytes;
      return {
        take: (bytes) => {
          if (!fits(bytes)) return false;
          add(bytes);
          return true;
        },
        release: () => add(-held),
      };
    },
  };
};
