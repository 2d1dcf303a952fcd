import { type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import { openLingering } from './connection.ts';
import { type Forwarding, requestHeaders, responseHeaders } from './headers.ts';
import { problems, sendProblem } from './problem.ts';
import type { WorkerdLimits } from './settings.ts';
import type { Upstream } from './slot.ts';

export type ForwardJob = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upstream: Upstream;
  readonly forwarding: Forwarding;
  readonly limits: WorkerdLimits['router'];
};

/** Read and thrown away after a refusal, so that the caller comes to read it. */
const lingerBytes = 16 * 1024 * 1024;

const repeatable = new Set(['GET', 'HEAD', 'OPTIONS']);

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Streams the worker's answer to the caller; a body that breaks off breaks the caller's connection off too. */
const relay = (incoming: IncomingMessage, response: ServerResponse): void => {
  response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage ?? '', responseHeaders(incoming));
  incoming.on('error', () => response.destroy());
  incoming.on('close', () => {
    if (!incoming.complete) response.destroy();
  });
  incoming.pipe(response);
};

const streamBody = ({ request, response, limits }: ForwardJob, outgoing: ReturnType<typeof openRequest>): void => {
  let received = 0;
  let refused = false;
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > limits.bodyBytes + lingerBytes) request.destroy();
    if (refused || received <= limits.bodyBytes) return;
    refused = true;
    outgoing.destroy();
    sendProblem(response, problems.bodyTooLarge);
  });
  request.pipe(outgoing);
  // What the worker no longer takes is read all the same: the next request of this connection stands behind it.
  outgoing.once('close', () => {
    request.unpipe(outgoing);
    request.resume();
  });
};

/**
 * Sends one request on to a worker and its answer back, streaming both ways. A pooled connection that the worker closed
 * just then is tried once more on a new one, where that cannot do anything twice.
 */
export const forward = (job: ForwardJob): void => {
  const { request, response, upstream, forwarding, limits } = job;
  const bodied = hasBody(request);
  const attempt = (again: boolean): void => {
    const outgoing = openRequest({
      socketPath: upstream.socketPath,
      ...(again ? { createConnection: () => openLingering(upstream.socketPath) } : { agent: upstream.agent }),
      method: request.method,
      path: request.url,
      headers: requestHeaders(request, forwarding),
      timeout: limits.upstreamIdleMs,
    });
    const cancel = (): void => {
      outgoing.destroy();
    };
    response.once('close', cancel);
    outgoing.once('response', (incoming) => relay(incoming, response));
    outgoing.once('timeout', () => {
      sendProblem(response, problems.slow);
      outgoing.destroy();
    });
    outgoing.on('error', () => {
      response.off('close', cancel);
      // An answer that came before the whole body was read stands; one that broke off is ended where it is relayed.
      if (response.headersSent || response.destroyed) return;
      if (!again && !bodied && outgoing.reusedSocket && repeatable.has(request.method ?? '')) return attempt(true);
      sendProblem(response, problems.broken);
    });
    if (bodied) streamBody(job, outgoing);
    else outgoing.end();
  };
  attempt(false);
};
