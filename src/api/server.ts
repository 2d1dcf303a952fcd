import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { networkOf } from './address.ts';
import { createCounts } from './counts.ts';
import { always } from './headers.ts';
import { problemOf, refuse } from './problem.ts';
import type { HttpProblem } from './statuses.ts';
import { statuses } from './statuses.ts';

export type ServerLimits = {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
  /** A connection on which nothing moves, in neither direction, for so long is cut: nobody reads the answer. */
  readonly idleMs: number;
  /** How often Node looks for callers that are too slow. */
  readonly lookMs: number;
  readonly connections: number;
  /** Of one address or network, unless a proxy stands in front. */
  readonly connectionsPerAddress: number;
};

export const serverLimits: ServerLimits = {
  ...{ headersMs: 10_000, requestMs: 60_000, keepAliveMs: 65_000, lookMs: 5_000 },
  // Longer than anything that an answer waits for; streams say something every 15 seconds.
  idleMs: 120_000,
  ...{ connections: 2_000, connectionsPerAddress: 1_000 },
};

/** For `createServer`. Headers may be 16 KiB. */
export const serverOptions = ({ lookMs }: ServerLimits = serverLimits) => ({
  connectionsCheckingInterval: lookMs,
  maxHeaderSize: 16 * 1024,
});

/** Slow or careless callers cannot occupy it: everything about a request and its answer has a size and a time. */
export const configureServer = (
  server: Server,
  {
    behindProxy = false,
    limits = serverLimits,
  }: { readonly behindProxy?: boolean; readonly limits?: ServerLimits } = {},
): void => {
  server.headersTimeout = limits.headersMs;
  server.requestTimeout = limits.requestMs;
  server.keepAliveTimeout = limits.keepAliveMs;
  server.timeout = limits.idleMs;
  // Node would leave out those over a limit without a word; the API counts them and refuses.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connections;
  if (!behindProxy) shareConnections(server, limits.connectionsPerAddress);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => answerRaw(socket, error.code ?? ''));
};

/** One address does not get all connections. Beyond its share they are cut without a word, as Node does beyond the whole. */
const shareConnections = (server: Server, share: number): void => {
  const open = createCounts();
  server.on('connection', (socket: Socket) => {
    const address = networkOf(socket.remoteAddress ?? '');
    if (open.of(address) >= share) {
      socket.destroy();
      return;
    }
    open.add(address, 1);
    socket.once('close', () => open.add(address, -1));
  });
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
