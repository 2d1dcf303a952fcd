import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { always } from './headers.ts';
import { problemOf, refuse } from './problem.ts';
import type { HttpProblem } from './statuses.ts';
import { statuses } from './statuses.ts';

/** For `createServer`: how often Node looks for callers that are too slow, and how large headers may be. */
export const serverOptions = { connectionsCheckingInterval: 5_000, maxHeaderSize: 16 * 1024 } as const;

/** Slow or careless callers cannot occupy it: everything about a request has a size and a time. */
export const configureServer = (server: Server): void => {
  server.headersTimeout = 10_000;
  server.requestTimeout = 60_000;
  server.keepAliveTimeout = 65_000;
  // Node would leave out those over a limit without a word; the API counts them and refuses.
  server.maxHeadersCount = 0;
  server.maxConnections = 2_000;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => answerRaw(socket, error.code ?? ''));
};

const refusals: Readonly<Record<string, readonly [HttpProblem, string]>> = {
  HPE_HEADER_OVERFLOW: ['HeadersTooLarge', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['RequestTimedOut', 'The request did not arrive completely in time.'],
};

/** What never became a request gets a problem document all the same. */
const answerRaw = (socket: Duplex, errorCode: string): void => {
  if (errorCode === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, reason] = refusals[errorCode] ?? (['RequestInvalid', 'This is not HTTP.'] as const);
  const body = JSON.stringify(problemOf(refuse(code, reason), ''));
  const head = [
    `HTTP/1.1 ${statuses[code]} ${code}`,
    ...Object.entries(always).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};
