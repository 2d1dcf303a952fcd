import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Issued } from './certificates.ts';

export type Received = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
/** Answers one request as it likes. */
export type Behaviour = (response: ServerResponse, received: Received, request: IncomingMessage) => void;

export const answers =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Behaviour =>
  (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
};

/** A real server that keeps what it was sent, and behaves as it is told: with `next` for the next requests, else always. */
export const startReceiver = async (certificate?: Pick<Issued, 'certificate' | 'privateKey'>) => {
  const received: Received[] = [];
  const queue: Behaviour[] = [];
  let always: Behaviour = answers(204);
  let connections = 0;
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const one = { method: request.method ?? '', path: request.url ?? '', headers, body: await bodyOf(request) };
    received.push(one);
    (queue.shift() ?? always)(response, one, request);
  };
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    listener(request, response).catch(() => response.destroy());
  };
  const server = certificate
    ? createHttpsServer({ cert: certificate.certificate, key: certificate.privateKey }, handle)
    : createHttpServer(handle);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    port,
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}/hook`,
    received,
    connections: () => connections,
    next: (...behaviours: readonly Behaviour[]) => void queue.push(...behaviours),
    always: (behaviour: Behaviour) => {
      always = behaviour;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
