import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { problemOf, refuse } from './problem.ts';
import type { HttpProblem } from './statuses.ts';
import { statuses } from './statuses.ts';

/** A server that slow or careless callers cannot occupy: everything about a request has a size and a time. */
export const createHttpServer = (listener: RequestListener): Server => {
  const server = createServer(
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
      noDelay: true,
    },
    listener,
  );
  server.maxHeadersCount = 100;
  server.maxConnections = 2_000;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => answerRaw(socket, error.code ?? ''));
  return server;
};

const refusals: Readonly<Record<string, readonly [HttpProblem, string]>> = {
  HPE_HEADER_OVERFLOW: ['HeadersTooLarge', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['RequestTimedOut', 'The request did not arrive completely in time.'],
};

/** What never became a request gets a problem document all the same. */
const answerRaw = (socket: Socket, errorCode: string): void => {
  if (errorCode === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, reason] = refusals[errorCode] ?? (['RequestInvalid', 'This is not HTTP.'] as const);
  const body = JSON.stringify(problemOf(refuse(code, reason), ''));
  const head = [
    `HTTP/1.1 ${statuses[code]} ${code}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};
