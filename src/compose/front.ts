import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { always } from '../api/headers.ts';
import { configureServer, serverOptions } from '../api/server.ts';
import type { Config } from '../config.ts';

export type Front = {
  readonly url: string;
  /** From now on requests go here. */
  serve(handler: RequestListener): void;
  /** Answers what was asked, five seconds long at most. */
  close(): Promise<void>;
};

const problem = (status: number, code: string, title: string, detail: string) => ({
  status,
  body: JSON.stringify({ type: `/problems/${title}`, title, status, code, detail }),
});
const starting = problem(503, 'starting', 'Starting', 'Opslog is starting. Try again in a moment.');

/** Answers that it lives from the first moment on, and that it is not ready until there is somebody to serve. */
const whileStarting: RequestListener = (request, response) => {
  if (request.url === '/health/live') {
    response.writeHead(200, { ...always, 'content-type': 'application/json' }).end('{"status":"live"}');
    return;
  }
  response
    .writeHead(starting.status, { ...always, 'content-type': 'application/problem+json', 'retry-after': '1' })
    .end(starting.body);
};

/** Listens on the API's port. Throws when it is taken. */
export const startFront = async (config: Config): Promise<Front> => {
  let handler: RequestListener = whileStarting;
  const underWay = new Set<ServerResponse>();
  let closed: Promise<void> | undefined;
  const server = createServer(serverOptions());
  server.prependListener('request', (_, response) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  server.on('request', (request, response) => handler(request, response));
  configureServer(server, { behindProxy: config.trustProxy });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : config.port;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`,
    serve: (next) => {
      handler = next;
    },
    close: () => {
      closed ??= drain(server, underWay);
      return closed;
    },
  };
};

const drainMs = 5_000;

/** Takes no more connections, and ends each that is there after the answer it is waiting for. */
const drain = (server: Server, underWay: ReadonlySet<ServerResponse>): Promise<void> =>
  new Promise((resolve) => {
    // Whoever has not finished by then is cut off: closing must end.
    const cut = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    for (const response of underWay) lastAnswer(response);
    // Before the handler, which sends the head.
    server.prependListener('request', (_, response) => lastAnswer(response));
    server.closeIdleConnections();
  });

/** A caller who is told that the connection ends sends nothing more into it. */
const lastAnswer = (response: ServerResponse): void => {
  const { socket } = response;
  if (!response.headersSent) response.setHeader('connection', 'close');
  else response.once('close', () => socket?.end());
};
