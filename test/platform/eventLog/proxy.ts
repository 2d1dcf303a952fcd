import { connect, createServer, type Socket } from 'node:net';

/** A wire between client and server that can be cut, or can lose what the server says. */
export type LossyWire = {
  readonly connectionString: string;
  /** From now on nothing that the server says arrives. */
  loseAnswers(): void;
  /** Bytes from the server since the last `restore`. */
  received(): number;
  /** Breaks every connection, and lets answers through again on new ones. */
  restore(): void;
  close(): Promise<void>;
};

export const startProxy = async (serverPort: number): Promise<LossyWire> => {
  const sockets = new Set<Socket>();
  let losing = false;
  let received = 0;
  const server = createServer((client) => {
    const upstream = connect(serverPort, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (bytes) => {
      received += bytes.length;
      if (losing || client.write(bytes)) return;
      // Whoever reads slowly must slow the server down, not fill the wire.
      upstream.pause();
      client.once('drain', () => upstream.resume());
    });
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    connectionString: `esdb://127.0.0.1:${port}?tls=false`,
    loseAnswers: () => {
      losing = true;
    },
    received: () => received,
    restore: () => {
      losing = false;
      received = 0;
      cut();
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
