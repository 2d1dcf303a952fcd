import { connect, type Socket } from 'node:net';

export type RawAnswer = { readonly status: number; readonly head: string; readonly text: string };

const portOf = (url: string): number => Number(new URL(url).port);

/** Bytes to a server, as no well-behaved client would send them; resolves with all that came until the connection ended. */
export const sendRaw = (url: string, text: string | Uint8Array): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(portOf(url), '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    // A server that cuts off while we still send is heard all the same.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
  });

/** Statuses of all answers in what came over one connection, in order. */
export const statusesIn = (text: string): readonly number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

export const open = (url: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(portOf(url), '127.0.0.1', () => resolve(socket));
    socket.once('error', reject);
  });

export const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
    socket.on('error', () => {});
    socket.resume();
  });
