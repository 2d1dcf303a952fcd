import type { Step } from './router.ts';

/** What goes wrong with a request. `effect` says whether the request is carried out all the same. */
export type Fault =
  /** Refused before anything happens. */
  | {
      readonly kind: 'before';
      readonly status: number;
      readonly code: number;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Carried out, and then an error is answered. */
  | { readonly kind: 'after'; readonly status: number; readonly code: number; readonly message?: string }
  /** A page of the edge in front of the API. */
  | { readonly kind: 'html'; readonly status: number; readonly effect: boolean }
  /** The connection is closed without an answer. */
  | { readonly kind: 'lose'; readonly effect: boolean }
  /** Carried out when the promise settles; meanwhile the script counts as being written to. */
  | { readonly kind: 'delay'; readonly until: Promise<unknown> }
  /** Carried out, and half of the JSON is answered. */
  | { readonly kind: 'truncate' }
  /** 429 with `retry-after` in seconds; nothing happens. */
  | { readonly kind: 'rateLimit'; readonly retryAfter: number }
  /** 10035; nothing happens. */
  | { readonly kind: 'conflict' };

/** Everything that is given must hold. */
export type Match = {
  readonly method?: string;
  /** Of the path below `/client/v4`. */
  readonly path?: RegExp;
  readonly step?: Step;
};

export type Planned = {
  /** How many requests it will still hit. */
  remaining(): number;
  cancel(): void;
};

export type Faults = {
  plan(match: Match, fault: Fault, times: number): Planned;
  /** The fault for this request, which is used up by it; those planned first come first. */
  take(method: string, path: string, step: Step | undefined): Fault | undefined;
};

export const createFaults = (): Faults => {
  type Entry = { readonly match: Match; readonly fault: Fault; left: number };
  let entries: readonly Entry[] = [];
  return {
    plan: (match, fault, times) => {
      const entry: Entry = { match, fault, left: times };
      entries = [...entries, entry];
      return {
        remaining: () => entry.left,
        cancel: () => {
          entry.left = 0;
        },
      };
    },
    take: (method, path, step) => {
      const entry = entries.find(
        ({ match, left }) =>
          left > 0 &&
          (match.method ?? method) === method &&
          (match.step ?? step) === step &&
          (match.path === undefined || match.path.test(path)),
      );
      if (entry === undefined) return undefined;
      entry.left -= 1;
      entries = entries.filter(({ left }) => left > 0);
      return entry.fault;
    },
  };
};
