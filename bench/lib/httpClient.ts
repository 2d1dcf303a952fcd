import { connect, type Socket } from 'node:net';

/** One kept-alive connection that carries one request at a time. It costs the cores it shares as little as it can. */
export type Connection = {
  /** Sends a request as text and resolves with the status of its answer. Rejects when the connection breaks. */
  exchange(request: string | Uint8Array): Promise<number>;
  /** A server closes what nobody used for some seconds. */
  isOpen(): boolean;
  close(): void;
};

const endOfHead = Buffer.from('\r\n\r\n');
const contentLength = /\r\ncontent-length: *(\d+)/i;

/** Bytes of the whole answer once its head is there; undefined before. */
const answerLength = (received: Buffer): number | undefined => {
  const end = received.indexOf(endOfHead);
  if (end === -1) return undefined;
  const head = received.toString('latin1', 0, end);
  const [, length] = contentLength.exec(head) ?? [];
  if (length === undefined && !head.startsWith('HTTP/1.1 204')) throw new Error(`No Content-Length in:\n${head}`);
  return end + endOfHead.length + Number(length ?? 0);
};

export const openConnection = (port: number): Promise<Connection> =>
  new Promise((opened, failed) => {
    const socket: Socket = connect(port, '127.0.0.1');
    let received: Buffer = Buffer.alloc(0);
    let waiting: { resolve(status: number): void; reject(error: Error): void } | undefined;
    const broken = (error: Error): void => {
      failed(error);
      waiting?.reject(error);
      waiting = undefined;
    };
    socket.setNoDelay(true);
    socket.on('error', broken);
    socket.on('close', () => broken(new Error('The server closed the connection.')));
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const length = answerLength(received);
      if (length === undefined || received.length < length) return;
      const status = Number(received.toString('latin1', 9, 12));
      received = received.subarray(length);
      const { resolve } = waiting ?? {};
      waiting = undefined;
      resolve?.(status);
    });
    socket.on('connect', () =>
      opened({
        exchange: (request) =>
          new Promise((resolve, reject) => {
            if (waiting !== undefined) throw new Error('This connection is busy.');
            if (socket.destroyed) throw new Error('This connection is closed.');
            waiting = { resolve, reject };
            if (typeof request === 'string') socket.write(request, 'latin1');
            else socket.write(request);
          }),
        isOpen: () => !socket.destroyed,
        close: () => {
          waiting = undefined;
          socket.destroy();
        },
      }),
    );
  });

/** A POST of JSON as text; the body in ASCII. */
export const jsonRequest = (path: string, headers: Readonly<Record<string, string>>, body: string): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const own = `Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `POST ${path} HTTP/1.1\r\n${own}${lines.join('')}\r\n${body}`;
};

export const getRequest = (path: string, token: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`;

/** A POST as text. Header values are the caller's to keep free of line breaks. */
export const postRequest = (path: string, headers: Readonly<Record<string, string>>): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n${lines.join('')}\r\n`;
};
