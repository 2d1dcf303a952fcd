import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { CloudflareState, Tail } from './state.ts';

/** One line of `console.log`, or an exception when `exception` names it. */
export type LogLine = {
  readonly level?: 'debug' | 'info' | 'log' | 'warn' | 'error';
  readonly message: string;
  readonly exception?: string;
};

export type TailSockets = {
  /** Sends the lines of one invocation to whoever listens to the script; says to how many. */
  emit(tails: readonly Tail[], scriptName: string, lines: readonly LogLine[]): number;
  /** How many listen to the tail. */
  listeners(id: string): number;
  close(id: string): void;
  closeAll(): void;
};

const refuseUpgrade = (socket: Duplex, status: string): void => {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
};

const traceOf = (scriptName: string, lines: readonly LogLine[], at: number) => ({
  outcome: lines.some(({ exception }) => exception !== undefined) ? 'exception' : 'ok',
  scriptName,
  eventTimestamp: at,
  event: { request: { url: 'https://example.com/', method: 'GET', headers: {}, cf: {} }, response: { status: 200 } },
  logs: lines
    .filter(({ exception }) => exception === undefined)
    .map(({ level, message }) => ({ level: level ?? 'log', message: [message], timestamp: at })),
  exceptions: lines.flatMap(({ exception, message }) =>
    exception === undefined ? [] : [{ name: exception, message, timestamp: at }],
  ),
});

/** Websockets at `/tails/<id>`, sub-protocol `trace-v1`; one trace event is one binary message of JSON. */
export const openTailSockets = (server: Server, state: CloudflareState, now: () => number): TailSockets => {
  const sockets = new Map<string, Set<WebSocket>>();
  const acceptor = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has('trace-v1') ? 'trace-v1' : false),
  });

  const close = (id: string): void => {
    for (const socket of sockets.get(id) ?? []) socket.close(1000);
    sockets.delete(id);
  };

  server.on('upgrade', (request, socket, head) => {
    const id = /^\/tails\/([0-9a-f]{32})$/.exec(request.url ?? '')?.[1] ?? '';
    const tail = state.tails.get(id);
    if (tail === undefined) return refuseUpgrade(socket, '404 Not Found');
    if (tail.expiresAt <= now()) return refuseUpgrade(socket, '403 Forbidden');
    acceptor.handleUpgrade(request, socket, head, (accepted) => {
      const listening = sockets.get(id) ?? new Set();
      sockets.set(id, listening.add(accepted));
      accepted.on('close', () => listening.delete(accepted));
    });
  });

  return {
    emit: (tails, scriptName, lines) => {
      const message = Buffer.from(JSON.stringify(traceOf(scriptName, lines, now())));
      let sent = 0;
      for (const { id, expiresAt } of tails) {
        if (expiresAt <= now()) close(id);
        for (const socket of sockets.get(id) ?? []) {
          socket.send(message);
          sent += 1;
        }
      }
      return sent;
    },
    listeners: (id) => sockets.get(id)?.size ?? 0,
    close,
    closeAll: () => {
      for (const listening of sockets.values()) for (const socket of listening) socket.terminate();
      acceptor.close();
    },
  };
};
