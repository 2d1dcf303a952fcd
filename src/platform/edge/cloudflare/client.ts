import type { z } from 'zod';
import type { Clock } from '../../clock/port.ts';
import type { Log } from '../../log/port.ts';
import type { Budget, Urgency } from './budget.ts';
import { classify, type Got, unreadable } from './classify.ts';
import { createScrubber } from './scrub.ts';
import type { Answer, Method, Product } from './verdict.ts';

export type Call<Result> = {
  readonly product: Product;
  readonly method: Method;
  /** Below the base address, each part encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: { readonly json: unknown } | { readonly form: FormData };
  readonly answer: z.ZodType<Result>;
  readonly urgency?: Urgency;
  /** Values that the body carries and that no text which comes back may show. */
  readonly secrets?: readonly string[];
};

/** Never throws: everything that happens is an answer. */
export type Client = <Result>(call: Call<Result>, signal: AbortSignal) => Promise<Answer<Result>>;

export type ClientOptions = {
  /** `https://api.cloudflare.com/client/v4`, without a slash at the end. */
  readonly baseUrl: string;
  readonly token: () => string;
  readonly clock: Clock;
  readonly budget: Budget;
  readonly log: Pick<Log, 'error'>;
  readonly requestTimeoutMs: number;
};

const conflictTries = 4;
const conflictPauseMs = 250;
/** The code of Workers for "somebody else is changing this script now". */
const busy = 10035;

/**
 * A request is sent once: what may have happened is for whoever asked to look at. Only the answer that says that nothing
 * happened because another request was at work is followed by another try.
 */
export const createClient = (options: ClientOptions): Client => {
  const { clock } = options;
  return async (call, signal) => {
    for (let tried = 1; ; tried += 1) {
      const answer = await askOnce(options, call, signal);
      const isBusy = answer.verdict === 'retry' && answer.apiCode === busy;
      if (!isBusy || tried === conflictTries || signal.aborted) return answer;
      await clock.sleep(conflictPauseMs * 2 ** (tried - 1), signal);
    }
  };
};

const askOnce = async <Result>(
  options: ClientOptions,
  call: Call<Result>,
  signal: AbortSignal,
): Promise<Answer<Result>> => {
  const { budget, log } = options;
  const { urgency = 'step' } = call;
  if (signal.aborted) return { verdict: 'retry', apiCode: 0, detail: 'There was no time left to ask.' };
  const admitted = budget.admit(urgency);
  if (!admitted.ok) {
    const { afterMs } = admitted;
    return { verdict: 'retry', apiCode: 0, detail: 'The request budget of this process is used up.', afterMs };
  }
  const asked = { ...call, scrub: createScrubber([options.token(), ...(call.secrets ?? [])]) };
  const answer = classify(asked, await send(options, call, signal));
  if (answer.verdict === 'done') {
    const parsed = call.answer.safeParse(answer.result);
    return parsed.success ? { ...answer, result: parsed.data } : unreadable(asked);
  }
  if (answer.verdict === 'retry' && answer.afterMs !== undefined) budget.block(answer.afterMs);
  if (answer.verdict === 'refused' && answer.code === 'provider_unauthorized') {
    log.error({ path: call.path, apiCode: answer.apiCode }, 'Cloudflare does not accept the API token.');
  }
  return answer;
};

const send = async <Result>(
  { baseUrl, token, clock, budget, requestTimeoutMs }: ClientOptions,
  call: Call<Result>,
  signal: AbortSignal,
): Promise<Got> => {
  const over = new AbortController();
  const late = new AbortController();
  void clock.sleep(requestTimeoutMs, over.signal).then(() => late.abort());
  try {
    const response = await fetch(addressOf(baseUrl, call), {
      method: call.method,
      headers: { authorization: `Bearer ${token()}`, accept: 'application/json', ...contentType(call) },
      body: bodyOf(call),
      // A token must not follow to another address.
      redirect: 'error',
      signal: AbortSignal.any([signal, late.signal]),
    });
    const text = await response.text();
    budget.note(response.headers.get('ratelimit') ?? '');
    return { kind: 'answer', status: response.status, text, retryAfter: response.headers.get('retry-after') ?? '' };
  } catch (error) {
    if (signal.aborted || late.signal.aborted) {
      return { kind: 'silence', sent: true, detail: 'Cloudflare did not answer in time.' };
    }
    return silenceOf(error);
  } finally {
    over.abort();
  }
};

const addressOf = <Result>(baseUrl: string, { path, query }: Call<Result>): string =>
  `${baseUrl}${path}${query ? `?${new URLSearchParams(query)}` : ''}`;

const contentType = <Result>({ body }: Call<Result>): Readonly<Record<string, string>> =>
  body && 'json' in body ? { 'content-type': 'application/json' } : {};

const bodyOf = <Result>({ body }: Call<Result>): string | FormData | null => {
  if (!body) return null;
  return 'json' in body ? JSON.stringify(body.json) : body.form;
};

/** With these no connection came about, so that nothing was asked. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
};

const silenceOf = (error: unknown): Got => {
  const code = codeOf(error);
  const detail = `The connection to Cloudflare failed${code === '' ? '' : ` (${code})`}.`;
  return { kind: 'silence', sent: !neverSent.has(code), detail };
};
