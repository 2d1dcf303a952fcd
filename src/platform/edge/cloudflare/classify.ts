import { z } from 'zod';
import { clip } from '../../../domain/kernel.ts';
import { type Meaning, meaningOf } from './codes.ts';
import type { Answer, Failure, Method, Product } from './verdict.ts';

/** What came back: an answer with its whole body, or none, and then whether the request can have arrived. */
export type Got =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string; readonly retryAfter: string }
  | { readonly kind: 'silence'; readonly sent: boolean; readonly detail: string };

export type Asked = {
  readonly product: Product;
  readonly method: Method;
  /** Takes what is secret out of a sentence of Cloudflare's. */
  readonly scrub: (text: string) => string;
};

const envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })).nullish(),
  result: z.unknown(),
  result_info: z.object({ total_pages: z.number().optional() }).nullish(),
});

type Envelope = z.infer<typeof envelope>;

/**
 * The one place that says what an answer of Cloudflare means. A read changes nothing, so that it is never uncertain; a
 * write whose answer is lost, late, cut or a page of HTML may have happened.
 */
export const classify = (asked: Asked, got: Got): Answer<unknown> => {
  if (got.kind === 'silence') return got.sent ? unclear(asked, 0, got.detail) : retry(0, got.detail);
  const { status } = got;
  if (status === 429) return rateLimited(got.retryAfter);
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && got.text === '') return { verdict: 'done', result: null, pages: 1 };
  const body = readEnvelope(got.text);
  if (!body) return unclear(asked, 0, `Cloudflare answered ${status} with something that is not its JSON.`);
  if (isSuccess && body.success) {
    return { verdict: 'done', result: body.result, pages: body.result_info?.total_pages ?? 1 };
  }
  return failureOf(asked, status, body);
};

/** An answer that says yes and does not look like one. */
export const unreadable = (asked: Asked): Failure =>
  unclear(asked, 0, 'Cloudflare answered yes, in a form that this version does not know.');

const readEnvelope = (text: string): Envelope | undefined => {
  try {
    const parsed = envelope.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
};

const failureOf = (asked: Asked, status: number, { errors }: Envelope): Failure => {
  const list = errors ?? [];
  for (const { code, message } of list) {
    const meaning = meaningOf(asked.product, code);
    if (meaning) return byMeaning(asked, meaning, code, sentence(status, code, asked.scrub(message)));
  }
  const [first] = list;
  const apiCode = first?.code ?? 0;
  const detail = sentence(status, apiCode, asked.scrub(first?.message ?? ''));
  if (status === 404) return { verdict: 'absent', apiCode, detail };
  if (status === 401) return { verdict: 'refused', code: 'provider_unauthorized', apiCode, detail };
  const isNo = status >= 400 && status < 500 && status !== 408;
  return isNo ? { verdict: 'refused', code: 'provider_refused', apiCode, detail } : unclear(asked, apiCode, detail);
};

const byMeaning = (asked: Asked, meaning: Meaning, apiCode: number, told: string): Failure => {
  switch (meaning.is) {
    case 'refused':
    case 'conflict': {
      const detail = meaning.advice === undefined ? told : `${told} ${meaning.advice}`;
      return { verdict: meaning.is, code: meaning.code, apiCode, detail };
    }
    case 'absent':
    case 'exists':
    case 'lagging':
      return { verdict: meaning.is, apiCode, detail: told };
    case 'retry':
      return retry(apiCode, told);
    case 'unknown':
      return unclear(asked, apiCode, told);
    default:
      return meaning satisfies never;
  }
};

const retry = (apiCode: number, detail: string): Failure => ({ verdict: 'retry', apiCode, detail });

const unclear = ({ method }: Asked, apiCode: number, detail: string): Failure =>
  method === 'GET' ? retry(apiCode, detail) : { verdict: 'uncertain', apiCode, detail };

/** Who exceeds the limit is kept out for five minutes, whatever else the answer says. */
const blockMs = 300_000;

const rateLimited = (retryAfter: string): Failure => {
  const seconds = /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  const afterMs = seconds === undefined ? blockMs : seconds * 1000;
  return { verdict: 'retry', apiCode: 0, detail: `Cloudflare asks to wait ${afterMs / 1000} s (429).`, afterMs };
};

const longestMessage = 400;

const sentence = (status: number, code: number, message: string): string => {
  const clean = clip(message.replace(/\p{Cc}+/gu, ' '), longestMessage);
  return `Cloudflare answered ${status}${code === 0 ? '' : ` with ${code}`}${clean === '' ? '.' : `: ${clean}`}`;
};
