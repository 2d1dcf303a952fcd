import { createServer, type RequestListener } from 'node:http';
import { configureServer, serverOptions } from '../api/server.ts';
import type { Config } from '../config.ts';

export type Front = {
  readonly url: string;
  /** From now on requests go here. */
  serve(handler: RequestListener): void;
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
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"live"}');
    return;
  }
  response
    .writeHead(starting.status, { 'content-type': 'application/problem+json', 'retry-after': '1' })
    .end(starting.body);
};

/** Listens on the API's port. Throws when it is taken. */
export const startFront = async (config: Config): Promise<Front> => {
  let handler: RequestListener = whileStarting;
  const server = createServer(serverOptions, (request, response) => handler(request, response));
  configureServer(server);
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
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        // Whoever has not finished by then is cut off: closing must end.
        setTimeout(() => server.closeAllConnections(), 10_000).unref();
      }),
  };
};
