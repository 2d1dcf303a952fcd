import { stat } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { asPage, withoutToken } from './s3Pages.ts';

/** What a client asked; `path` without the query. */
export type Seen = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
};

export type Fault =
  /** Answered by the proxy; the server never hears of it. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    }
  /** Left as it is, to spoil a later one. */
  | { readonly kind: 'pass' }
  /** Nothing comes back. */
  | { readonly kind: 'silence' }
  /** Done by the server, whose answer is lost. */
  | { readonly kind: 'answerLost' }
  /** Half of the server's body, then the end of the connection, or nothing more. */
  | { readonly kind: 'brokenOff' }
  | { readonly kind: 'stuck' }
  /** The server's answer with other bytes as its body. */
  | { readonly kind: 'changed'; readonly change: (body: Buffer) => Buffer };

export type FaultyProxy = {
  readonly url: string;
  /** Every request since the last `forget`, in the order of arrival. */
  seen(): readonly Seen[];
  forget(): void;
  /** Spoils the next requests of this method, as many as said. */
  spoil(method: string, fault: Fault, times?: number): void;
  /** Forgets what was to be spoilt and has not been yet. */
  heal(): void;
  /** From now on a list has so many entries at most. */
  pages(size: number): void;
  close(): Promise<void>;
};

type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/**
 * In front of the S3 server. It lets one request through at a time and waits until what was put is in its file: a real
 * store shows what it has acknowledged to everybody at once, which the server here does not.
 */
export const startFaultyProxy = async (server: { port: number; directory: string }): Promise<FaultyProxy> => {
  let seen: Seen[] = [];
  const faults: { readonly method: string; readonly fault: Fault; left: number }[] = [];
  let pageSize = 1_000;
  let turnOfNext: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = turnOfNext.then(work);
    turnOfNext = result.catch(() => undefined);
    return result;
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bytesOf(incoming);
    const { pathname, search } = new URL(incoming.url ?? '/', 'http://proxy');
    const method = incoming.method ?? '';
    seen.push({ method, path: pathname, query: search, headers: incoming.headers, bytes: body.length });
    const planned = faults.find((each) => each.method === method && each.left > 0);
    if (planned) planned.left -= 1;
    const ask = () => inTurn(() => forward(server, incoming, body, pageSize));
    await answerWith(planned?.fault, ask, response);
  };

  const listening = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen: () => seen,
    forget: () => {
      seen = [];
    },
    spoil: (method, fault, times = 1) => {
      faults.push({ method, fault, left: times });
    },
    heal: () => {
      faults.length = 0;
    },
    pages: (size) => {
      pageSize = size;
    },
    close: async () => {
      listening.closeAllConnections();
      await new Promise((resolve) => listening.close(resolve));
      await turnOfNext;
    },
  };
};

const answerWith = async (
  fault: Fault | undefined,
  ask: () => Promise<Answer>,
  response: ServerResponse,
): Promise<void> => {
  switch (fault?.kind) {
    case undefined:
    case 'pass':
      return send(response, await ask());
    case 'answer':
      response.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    case 'silence':
      return;
    case 'answerLost':
      await ask();
      response.destroy();
      return;
    case 'brokenOff':
    case 'stuck': {
      const { status, headers, body } = await ask();
      response.writeHead(status, headers);
      response.write(body.subarray(0, Math.floor(body.length / 2)), () => {
        if (fault.kind === 'brokenOff') response.destroy();
      });
      return;
    }
    case 'changed': {
      const answer = await ask();
      const body = fault.change(answer.body);
      return send(response, { ...answer, body, headers: { ...answer.headers, 'content-length': String(body.length) } });
    }
    default:
      fault satisfies never;
  }
};

const send = (response: ServerResponse, { status, headers, body }: Answer): void => {
  response.writeHead(status, headers).end(body);
};

const forward = async (
  { port, directory }: { port: number; directory: string },
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  pageSize: number,
): Promise<Answer> => {
  const isList = url?.includes('list-type=2') ?? false;
  const path = isList ? withoutToken(url ?? '') : url;
  const answer = await new Promise<Answer>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (incoming) => {
      bytesOf(incoming).then(
        (bytes) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: bytes }),
        reject,
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
  if (method === 'PUT' && answer.status === 200) {
    const file = join(directory, `${decodeURIComponent(new URL(url ?? '/', 'http://proxy').pathname)}._S3rver_object`);
    while ((await stat(file)).size !== body.length) await turn();
  }
  if (!isList || answer.status !== 200) return answer;
  const page = Buffer.from(asPage(answer.body.toString('utf8'), pageSize));
  return { ...answer, body: page, headers: { ...answer.headers, 'content-length': String(page.length) } };
};

const bytesOf = async (stream: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
};
