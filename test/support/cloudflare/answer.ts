import { codes } from './codes.ts';

export type ResultInfo = {
  readonly page: number;
  readonly per_page: number;
  readonly count: number;
  readonly total_count: number;
  readonly total_pages?: number;
};

export type Refused = {
  readonly kind: 'refused';
  readonly status: number;
  readonly errors: readonly { readonly code: number; readonly message: string; readonly meta?: unknown }[];
  readonly headers?: Readonly<Record<string, string>>;
};

/** What a handler answers: an enveloped result, a refusal, or a body that has no envelope. */
export type Answer =
  | { readonly kind: 'result'; readonly status: number; readonly result: unknown; readonly info?: ResultInfo }
  | Refused
  | { readonly kind: 'empty'; readonly status: number }
  | { readonly kind: 'raw'; readonly status: number; readonly contentType: string; readonly body: Uint8Array | string };

export const ok = (result: unknown, info?: ResultInfo): Answer => ({
  kind: 'result',
  status: 200,
  result,
  ...(info === undefined ? {} : { info }),
});

export type Code = keyof typeof codes;

/** A refusal with the documented status of its code; `detail` replaces the standing sentence. */
export const refuse = (code: Code, detail?: string, meta?: unknown): Refused => {
  const { status, message } = codes[code];
  return {
    kind: 'refused',
    status,
    errors: [{ code: Number(code), message: detail ?? message, ...(meta === undefined ? {} : { meta }) }],
  };
};

export const isRefused = (value: object | undefined): value is Refused =>
  value !== undefined && 'kind' in value && value.kind === 'refused';
