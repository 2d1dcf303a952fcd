/** Numbers of one product mean something else at another: 10035 is a busy script at Workers and a bad signature at R2. */
export type Product = 'workers' | 'zones' | 'dns';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * What an answer that is not a result means:
 * - `refused`: asking again would not help; `code` is ours, `apiCode` Cloudflare's (0 when it gave none).
 * - `conflict`: something is there that is not ours.
 * - `absent`: what was named is not there. The end of a deletion, the answer of a look.
 * - `exists`: what was to be made is there already; whoever asked compares it.
 * - `lagging`: it was made and cannot be read yet.
 * - `retry`: nothing has happened.
 * - `uncertain`: it may have happened. Only a write can be uncertain.
 */
export type Failure =
  | {
      readonly verdict: 'refused' | 'conflict';
      readonly code: string;
      readonly apiCode: number;
      readonly detail: string;
    }
  | { readonly verdict: 'absent' | 'exists' | 'lagging'; readonly apiCode: number; readonly detail: string }
  | { readonly verdict: 'retry'; readonly apiCode: number; readonly detail: string; readonly afterMs?: number }
  | { readonly verdict: 'uncertain'; readonly apiCode: number; readonly detail: string };

export type Answer<Result> = { readonly verdict: 'done'; readonly result: Result; readonly pages: number } | Failure;
