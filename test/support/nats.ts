import { randomBytes } from 'node:crypto';
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { connect, type JetStreamManager, type NatsConnection } from 'nats';
import { describe, it } from 'vitest';

const url = process.env['TEST_NATS_URL'] ?? 'nats://127.0.0.1:4222';
const servicesRequired = process.env['OPSLOG_REQUIRE_SERVICES'] === '1';

/** All that whoever reads the stream can see of a message. */
export type StoredMessage = {
  readonly subject: string;
  readonly id: string;
  /** With their names, one per line. */
  readonly headers: string;
  readonly body: string;
};

export type TestBus = {
  readonly url: string;
  readonly stream: string;
  readonly prefix: string;
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  /** Every message of the stream in order, read back from it. */
  stored(): Promise<readonly StoredMessage[]>;
  /** Every stored message in order: subject, message id, and the payload as JSON. */
  messages(): Promise<readonly { subject: string; id: string; event: Record<string, unknown> }[]>;
  count(): Promise<number>;
  /** Removes the stream and closes. */
  stop(): Promise<void>;
};

const whyMissing = async (): Promise<string> => {
  try {
    const connection = await connect({ servers: url, timeout: 2_000, reconnect: false });
    const manager = await connection.jetstreamManager();
    await manager.getAccountInfo();
    await connection.close();
    return '';
  } catch (error) {
    return `not reachable: ${error instanceof Error ? error.message : String(error)}`;
  }
};

/** Describes rules on a real NATS server with JetStream: skipped by name without one, or failing where one is required. */
export const onNats = async (subject: string, rules: () => void): Promise<void> => {
  const missing = await whyMissing();
  if (missing === '') describe(`${subject} on NATS`, rules);
  else if (servicesRequired) {
    it(`${subject} on NATS`, () => {
      throw new Error(`NATS is required here but ${missing}`);
    });
  } else describe.skip(`${subject} on NATS (${missing})`, rules);
};

/** Undefined where there is no NATS and none is required. */
export const startTestBusIfThere = async (): Promise<TestBus | undefined> =>
  servicesRequired || (await whyMissing()) === '' ? startTestBus() : undefined;

/** A stream name and a subject prefix that nobody else uses; the stream itself is made by whoever is tested. */
export const startTestBus = async (): Promise<TestBus> => {
  const id = randomBytes(6).toString('hex');
  const stream = `OPSLOG_TEST_${id}`;
  const connection = await connect({ servers: url });
  const manager = await connection.jetstreamManager();
  const count = async (): Promise<number> =>
    manager.streams.info(stream).then(
      (info) => info.state.messages,
      () => 0,
    );
  const stored = async (): Promise<readonly StoredMessage[]> => {
    const total = await count();
    if (total === 0) return [];
    const consumer = await connection.jetstream().consumers.get(stream);
    const found: StoredMessage[] = [];
    for await (const message of await consumer.fetch({ max_messages: total, expires: 30_000 })) {
      const { subject, headers } = message;
      const id = headers?.get('Nats-Msg-Id') ?? '';
      found.push({ subject, id, headers: headers?.toString() ?? '', body: message.string() });
      if (found.length === total) break;
    }
    if (found.length < total) throw new Error(`Of ${total} messages ${found.length} were read back.`);
    return found;
  };
  return {
    url,
    stream,
    prefix: `opslog_test_${id}`,
    connection,
    manager,
    count,
    stored,
    messages: async () =>
      (await stored()).map(({ subject, id, body }) => {
        const event: Record<string, unknown> = JSON.parse(body);
        return { subject, id, event };
      }),
    stop: async () => {
      await manager.streams.delete(stream).catch(() => undefined);
      await connection.close();
    },
  };
};

export type Outage = {
  /** Address of the way to the server that can be cut. */
  readonly url: string;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  restore(): void;
  stop(): Promise<void>;
};

/** A TCP way to the real server that a test can cut. */
export const startOutage = async (): Promise<Outage> => {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  let broken = false;
  const server = createServer((client) => {
    if (broken) {
      client.destroy();
      return;
    }
    const upstream = connectTcp(Number(port === '' ? 4222 : port), hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  const cutAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `nats://127.0.0.1:${address.port}`,
    cut: () => {
      broken = true;
      cutAll();
    },
    restore: () => {
      broken = false;
    },
    stop: async () => {
      cutAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
