import type { Expected } from './writeRules.ts';

export type ProposedEvent = {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

export type WriteCommand =
  | {
      readonly kind: 'append';
      readonly stream: string;
      readonly expected: Expected;
      readonly events: readonly ProposedEvent[];
    }
  | { readonly kind: 'delete' | 'tombstone'; readonly stream: string; readonly expected: Expected };

export type WriteResult =
  | { readonly ok: true; readonly revision: number; readonly position: number }
  /** `actual` is -1 when the stream has no events. */
  | { readonly ok: false; readonly reason: 'wrongVersion'; readonly actual: number }
  | { readonly ok: false; readonly reason: 'deleted' };
