import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, isRefused, type Refused, refuse } from './answer.ts';
import type { ApiRequest, Context } from './context.ts';
import type { Fault, Faults } from './faults.ts';
import { authenticate, authorize } from './gate.ts';
import { createLocks } from './locks.ts';
import type { Token } from './options.ts';
import type { RateLimiter } from './rateLimit.ts';
import { describeBody, type LoggedRequest } from './requestLog.ts';
import { send, sendPage } from './respond.ts';
import { type Matched, matchRoute } from './router.ts';

export type PipelineParts = {
  readonly context: Context;
  readonly tokens: readonly Token[];
  readonly faults: Faults;
  readonly limiter: RateLimiter;
  readonly requests: LoggedRequest[];
  /** True once the server closes: what was delayed until then has no effect. */
  closed(): boolean;
};

const basePath = '/client/v4';

const readBody = async (request: IncomingMessage): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const noone: Token = { value: '', email: '' };

/** The answer that a fault gives in place of the work. */
const instead = (fault: Fault | undefined): Refused | undefined => {
  switch (fault?.kind) {
    case 'before': {
      const { status, code, message = 'The request failed', headers = {} } = fault;
      return { kind: 'refused', status, errors: [{ code, message }], headers };
    }
    case 'rateLimit':
      return { ...refuse(971), headers: { 'retry-after': String(fault.retryAfter) } };
    case 'conflict':
      return refuse(10035);
    case 'after':
    case 'html':
    case 'lose':
    case 'delay':
    case 'truncate':
    case undefined:
      return undefined;
    default:
      return fault satisfies never;
  }
};

const hasEffect = (fault: Fault | undefined): boolean =>
  fault?.kind === 'html' || fault?.kind === 'lose' ? fault.effect : true;

/** One request from its first byte to its last: routing, faults, rights, rate, the lock, the work, the answer. */
export const createPipeline = (parts: PipelineParts) => {
  const { context, faults, limiter } = parts;
  const locks = createLocks();

  const perform = async (
    matched: Matched | Answer,
    api: ApiRequest,
    log: LoggedRequest,
    fault: Fault | undefined,
  ): Promise<Answer> => {
    if ('kind' in matched) return matched;
    const { account, script } = matched.params;
    const writing = api.method !== 'GET' && script !== undefined;
    const release = writing ? locks.take(`${account}/${script}`) : () => {};
    if (release === undefined) return refuse(10035);
    try {
      if (fault?.kind === 'delay') await fault.until.catch(() => {});
      if (parts.closed()) return refuse(10013);
      log.handled = true;
      return await matched.handler(context, api);
    } finally {
      release();
    }
  };

  const answerOf = async (
    matched: Matched | Answer,
    api: ApiRequest,
    authorization: string | undefined,
    log: LoggedRequest,
    fault: Fault | undefined,
  ): Promise<{ readonly answer: Answer; readonly headers: Readonly<Record<string, string>> }> => {
    const replaced = instead(fault);
    if (replaced !== undefined) return { answer: replaced, headers: {} };
    const token = authenticate(authorization, parts.tokens);
    if (isRefused(token)) return { answer: token, headers: {} };
    const { headers, refused } = limiter.spend(token.email);
    const denied = refused ?? ('kind' in matched ? undefined : authorize(context, api.method, matched.params, token));
    return { answer: denied ?? (await perform(matched, { ...api, token }, log, fault)), headers };
  };

  const finish = (
    response: ServerResponse,
    log: LoggedRequest,
    fault: Fault | undefined,
    { answer, headers }: Awaited<ReturnType<typeof answerOf>>,
  ): void => {
    if (fault?.kind === 'lose') {
      response.socket?.destroy();
      return;
    }
    if (fault?.kind === 'html') {
      log.status = fault.status;
      sendPage(response, fault.status);
      return;
    }
    const failed: Answer | undefined =
      fault?.kind === 'after' && answer.kind !== 'refused'
        ? {
            kind: 'refused',
            status: fault.status,
            errors: [{ code: fault.code, message: fault.message ?? 'The request failed' }],
          }
        : undefined;
    const given = failed ?? answer;
    log.status = given.status;
    send(response, given, headers, fault?.kind === 'truncate' ? 'half' : 'whole');
  };

  return async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? '/', 'http://localhost');
    const method = incoming.method ?? 'GET';
    const below = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : undefined;
    const path = below ?? url.pathname;
    const matched = below === undefined ? refuse(7003) : matchRoute(method, path);
    const step = 'kind' in matched ? undefined : matched.step;
    const api: ApiRequest = {
      method,
      params: 'kind' in matched ? {} : matched.params,
      query: url.searchParams,
      contentType: incoming.headers['content-type'] ?? '',
      body: await readBody(incoming),
      token: noone,
    };
    const log: LoggedRequest = {
      method,
      path,
      query: Object.fromEntries(url.searchParams),
      step,
      body: await describeBody(api, step),
      at: context.now(),
      handled: false,
      status: undefined,
    };
    parts.requests.push(log);
    const fault = faults.take(method, path, step);
    const answered = hasEffect(fault)
      ? await answerOf(matched, api, incoming.headers.authorization, log, fault)
      : { answer: refuse(10013), headers: {} };
    finish(response, log, fault, answered);
  };
};
