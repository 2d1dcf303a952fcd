import { type IncomingMessage, request as openRequest } from 'node:http';
import { type Duplex, Readable } from 'node:stream';
import { type Forwarding, responseHeaders, upgradeHeaders } from './headers.ts';
import { problemBody, problemHeaders, problems, type RouterProblem } from './problem.ts';
import type { Upstream } from './slot.ts';

const writeHead = (socket: Duplex, status: string, headers: readonly string[]): void => {
  let head = `HTTP/1.1 ${status}\r\n`;
  for (let at = 0; at + 1 < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  socket.write(`${head}\r\n`, 'latin1');
};

export const refuseUpgrade = (socket: Duplex, problem: RouterProblem): void => {
  const body = problemBody(problem);
  const headers = Object.entries({ ...problemHeaders(problem, body), Connection: 'close' }).flat();
  writeHead(socket, `${problem.status} ${problem.code}`, headers);
  socket.end(body);
};

export type UpgradeJob = {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly upstream: Upstream;
  readonly forwarding: Forwarding;
  /** How long the worker may take to answer the upgrade. */
  readonly idleMs: number;
};

/** Node leaves the body of an upgrade to us: its first bytes came with the head, the rest is on the socket. */
async function* bodyOf(socket: Duplex, head: Buffer, bytes: number): AsyncGenerator<Buffer> {
  yield head.subarray(0, bytes);
  let left = bytes - head.length;
  if (left <= 0) return;
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    if (!(chunk instanceof Buffer)) continue;
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

/** Passes a protocol upgrade (WebSocket) through: from then on bytes flow both ways until either side ends. */
export const forwardUpgrade = ({ request, socket, head, upstream, forwarding, idleMs }: UpgradeJob): void => {
  const bytes = Number(request.headers['content-length'] ?? 0);
  const outgoing = openRequest({
    socketPath: upstream.socketPath,
    agent: false,
    method: request.method,
    path: request.url,
    headers: upgradeHeaders(request, forwarding),
    timeout: idleMs,
  });
  socket.once('close', () => outgoing.destroy());
  outgoing.once('timeout', () => outgoing.destroy());
  outgoing.once('error', () => {
    if (socket.writable) refuseUpgrade(socket, problems.broken);
    else socket.destroy();
  });
  outgoing.once('upgrade', (incoming, worker, early) => {
    const headers = [...responseHeaders(incoming), 'Connection', 'Upgrade', 'Upgrade', incoming.headers.upgrade ?? ''];
    worker.setTimeout(0);
    writeHead(socket, '101 Switching Protocols', headers);
    if (early.length > 0) socket.write(early);
    if (head.length > bytes) worker.write(head.subarray(bytes));
    worker.on('error', () => socket.destroy());
    worker.once('close', () => socket.destroy());
    socket.once('close', () => worker.destroy());
    worker.pipe(socket);
    socket.pipe(worker);
  });
  outgoing.once('response', (incoming) => {
    writeHead(socket, `${incoming.statusCode ?? 502} ${incoming.statusMessage ?? ''}`, [
      ...responseHeaders(incoming),
      'Connection',
      'close',
    ]);
    incoming.on('error', () => socket.destroy());
    incoming.pipe(socket);
  });
  if (bytes === 0) outgoing.end();
  else {
    Readable.from(bodyOf(socket, head, bytes))
      .on('error', () => outgoing.destroy())
      .pipe(outgoing);
  }
};
