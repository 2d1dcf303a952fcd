import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../clock/port.ts';
import { ExchangeFailed, failedBy } from './failure.ts';
import type { OutboundAnswer, OutboundRequest } from './port.ts';
import type { Target } from './target.ts';

export type Exchange = {
  readonly clock: Clock;
  readonly request: OutboundRequest;
  readonly target: Extract<Target, { ok: true }>;
  readonly agent: Agent;
  readonly lookup: LookupFunction;
  readonly maxBytes: number;
  readonly startedAt: number;
};

/** One request and what comes back within its time. Rejects with ExchangeFailed when there is no answer. */
export const exchange = (exchange: Exchange, signal: AbortSignal): Promise<OutboundAnswer> => {
  const { clock, request, target, agent, lookup, maxBytes, startedAt } = exchange;
  const { url, host } = target;
  return new Promise<OutboundAnswer>((resolve, reject) => {
    const over = new AbortController();
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isConnected = false;
    let response: IncomingMessage | undefined;
    const headers = { ...request.headers, ...(request.body && { 'content-length': String(request.body.length) }) };
    const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const path = `${url.pathname}${url.search}`;
    const sent = open({
      ...{ host, path, method: request.method, headers, agent, lookup, maxHeaderSize: 16 * 1024 },
      ...{ port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port), setDefaultHeaders: true },
    });
    /** Whatever comes first ends it: an answer that has begun is one, however it ends. */
    const finish = (truncated: boolean, failure: ExchangeFailed): void => {
      if (over.signal.aborted) return;
      over.abort();
      if (response === undefined) reject(failure);
      else {
        const body = Buffer.concat(chunks).subarray(0, maxBytes);
        const { statusCode: status = 0 } = response;
        const durationMs = clock.now() - startedAt;
        resolve({ outcome: 'answered', status, headers: plainHeaders(response), body, truncated, durationMs });
      }
      sent.destroy();
    };
    const fail = (code: ExchangeFailed['code'], why: string): void => finish(true, new ExchangeFailed(code, why));
    const failOn = (error: unknown): void => {
      const { code, detail } = failedBy(error, isConnected);
      fail(code, detail);
    };

    sent.on('error', failOn);
    sent.on('close', () => fail('broken_off', 'The connection ended before there was an answer.'));
    sent.on('socket', (socket) => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        isConnected = true;
      });
    });
    sent.on('upgrade', (_response, socket) => {
      socket.destroy();
      fail('broken_off', 'The other side wanted to speak another protocol.');
    });
    sent.on('response', (incoming) => {
      response = incoming;
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes > maxBytes) finish(true, new ExchangeFailed('broken_off', ''));
      });
      incoming.on('end', () => finish(false, new ExchangeFailed('broken_off', '')));
      incoming.on('error', failOn);
    });
    clock.sleep(request.connectTimeoutMs, over.signal).then(() => {
      if (!isConnected) fail('timed_out', `There was no connection within ${request.connectTimeoutMs} ms.`);
    });
    clock.sleep(request.timeoutMs, over.signal).then(() => {
      fail('timed_out', `There was no answer within ${request.timeoutMs} ms.`);
    });
    const abort = (): void => fail('aborted', 'It was broken off from this side.');
    signal.addEventListener('abort', abort, { once: true });
    over.signal.addEventListener('abort', () => signal.removeEventListener('abort', abort), { once: true });
    if (signal.aborted) abort();
    else sent.end(request.body);
  });
};

const plainHeaders = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return first === undefined ? [] : [[name, first]];
    }),
  );
