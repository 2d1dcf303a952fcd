import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Parts } from '../../parts.ts';
import type { Log } from '../../platform/log/port.ts';
import { toJson } from '../cli.ts';
import { messageOf } from '../messageOf.ts';
import { type AnyOperation, operations } from '../operations/index.ts';
import { OperationRefused } from '../operations/operation.ts';
import { type Control, removeControl, writeControl } from './file.ts';
import { type ControlLine, operationPath } from './protocol.ts';

export type ControlServer = { readonly port: number; close(): Promise<void> };

const maxBodyBytes = 64 * 1024;
const maxAtOnce = 16;
const heartbeatMs = 15_000;

/**
 * Lets the operator's commands run inside this process, which holds the stores: HTTP on loopback, behind a token that
 * only the owner of the data folder can read. Closing it ends what is under way.
 */
export const startControl = async (parts: Parts, options: { readonly logger: Log }): Promise<ControlServer> => {
  const token = randomBytes(32).toString('hex');
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000 }, (request, response) => {
    const done = answer(
      { parts, token, logger: options.logger, closing: closing.signal, atOnce: running.size },
      request,
      response,
    )
      .catch((error: unknown) => options.logger.error({ err: error }, 'An operator command broke off'))
      .finally(() => {
        response.end();
        running.delete(done);
      });
    running.add(done);
  });
  const port = await listen(server);
  const control: Control = { pid: process.pid, port, token };
  await writeControl(parts.config.dataDir, control);
  return {
    port,
    close: async () => {
      await removeControl(parts.config.dataDir, control);
      closing.abort();
      await Promise.all(running);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The control server has no port.');
  return address.port;
};

type Context = {
  readonly parts: Parts;
  readonly token: string;
  readonly logger: Log;
  readonly closing: AbortSignal;
  readonly atOnce: number;
};

const answer = async (context: Context, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (!isAuthorised(request, context.token)) return refuse(response, 401, 'Wrong token.');
  const operation = operations.find(({ name }) => request.url === operationPath(name));
  if (!operation || request.method !== 'POST') return refuse(response, 404, 'No such operation.');
  if (context.atOnce >= maxAtOnce) return refuse(response, 503, 'Too many operator commands at once.');
  const body = await readBody(request);
  if (body === undefined) return refuse(response, 400, 'Not acceptable as arguments.');
  context.logger.info({ operation: operation.name }, 'An operator command runs');
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  response.flushHeaders();
  await perform(context, operation, body.value, response);
};

const perform = async (
  { parts, closing, logger }: Context,
  operation: AnyOperation,
  input: unknown,
  response: ServerResponse,
): Promise<void> => {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, closing]);
  const send = async (line: ControlLine): Promise<void> => {
    if (response.destroyed || response.write(`${toJson(line)}\n`)) return;
    await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
  };
  // A reader gives up on a line that stays silent for minutes; an empty line says that work goes on.
  const heartbeat = setInterval(() => response.write('\n'), heartbeatMs);
  try {
    const result = await operation.perform(parts, input, (progress) => send({ progress }), signal);
    await send({ result });
  } catch (error) {
    if (signal.aborted && !closing.aborted) return;
    const isExpected = error instanceof OperationRefused;
    if (!isExpected) logger.error({ err: error, operation: operation.name }, 'An operator command failed');
    const code = isExpected ? error.code : closing.aborted ? 'server_stopped' : 'failed';
    await send({ error: { code, message: messageOf(error) } });
  } finally {
    clearInterval(heartbeat);
  }
};

const isAuthorised = (request: IncomingMessage, token: string): boolean => {
  const given = Buffer.from(request.headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
};

const readBody = async (request: IncomingMessage): Promise<{ readonly value: unknown } | undefined> => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > maxBodyBytes) return undefined;
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

const refuse = (response: ServerResponse, status: number, message: string): void => {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(`${toJson({ error: { code: 'refused', message } })}\n`);
};
