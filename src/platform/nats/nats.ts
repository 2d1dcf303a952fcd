import { connect, type JetStreamClient, type NatsConnection, NatsError } from 'nats';
import type { Log } from '../log/port.ts';
import { parseNatsUrl } from './address.ts';
import { type BusMessage, type MessageBus, MessageBusUnavailable, MessageStreamUnfit } from './port.ts';
import { ensureStream, type StreamSettings } from './stream.ts';

export type NatsOptions = {
  readonly url: string;
  readonly logger: Log;
  /** Name of the JetStream stream; OPSLOG when not given. */
  readonly stream?: string;
  /** First token of every subject; opslog when not given. */
  readonly subjectPrefix?: string;
  /** How long the server recognises a message id, in milliseconds; two minutes when not given. */
  readonly duplicateWindowMs?: number;
  /** How long messages stay, in milliseconds; 30 days when not given, 0 for ever. */
  readonly maxAgeMs?: number;
  /** How long to wait for an answer, in milliseconds; 5,000 when not given. */
  readonly timeoutMs?: number;
};

type Link = { readonly connection: NatsConnection; readonly client: JetStreamClient; up: boolean };

/** JetStream behind the port. Connects on first use and for ever again; nothing is queued while the server is away. */
export const openNats = (options: NatsOptions): MessageBus => {
  const { logger, timeoutMs = 5_000 } = options;
  const settings: StreamSettings = {
    name: options.stream ?? 'OPSLOG',
    subjectPrefix: options.subjectPrefix ?? 'opslog',
    duplicateWindowMs: options.duplicateWindowMs ?? 120_000,
    maxAgeMs: options.maxAgeMs ?? 30 * 24 * 60 * 60 * 1000,
  };
  const shared = { settings, logger, timeoutMs, url: options.url };
  let linking: Promise<Link> | undefined;
  let link: Link | undefined;
  let closed = false;

  const linked = async (): Promise<Link> => {
    if (closed) throw new MessageBusUnavailable('The connection to NATS is closed.');
    linking ??= openLink(shared, () => {
      linking = undefined;
      link = undefined;
    });
    try {
      link = await linking;
    } catch (error) {
      linking = undefined;
      throw error;
    }
    if (!link.up) throw new MessageBusUnavailable('NATS is not connected now.');
    return link;
  };

  return {
    publish: async (message) => publish(shared, await linked(), message),
    ready: async () => {
      const { connection } = await linked();
      await makeStream(shared, connection);
    },
    maxPayloadBytes: () => link?.connection.info?.max_payload ?? 1_048_576,
    connected: () => link?.up === true,
    close: async () => {
      closed = true;
      const open = await linking?.catch(() => undefined);
      await open?.connection.close();
    },
  };
};

type Shared = {
  readonly settings: StreamSettings;
  readonly logger: Log;
  readonly timeoutMs: number;
  readonly url: string;
};

const openLink = async ({ url, timeoutMs, logger }: Shared, onClosed: () => void): Promise<Link> => {
  const { servers, tls, ...credentials } = parseNatsUrl(url);
  const connection = await connect({
    ...credentials,
    servers: [...servers],
    ...(tls && { tls: {} }),
    name: 'opslog',
    timeout: timeoutMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    pingInterval: 20_000,
    maxPingOut: 2,
  }).catch((error: unknown) => {
    throw new MessageBusUnavailable(`NATS cannot be reached: ${reasonOf(error)}`);
  });
  const link: Link = { connection, client: connection.jetstream({ timeout: timeoutMs }), up: true };
  void watch(link, logger);
  void connection.closed().then(() => {
    link.up = false;
    onClosed();
  });
  return link;
};

const watch = async (link: Link, logger: Log): Promise<void> => {
  for await (const { type } of link.connection.status()) {
    if (type === 'disconnect') {
      link.up = false;
      logger.warn({}, 'nats: disconnected');
    } else if (type === 'reconnect') {
      link.up = true;
      logger.info({}, 'nats: connected again');
    }
  }
};

const publish = async (
  shared: Shared,
  { client, connection }: Link,
  { subject, id, payload }: BusMessage,
): Promise<{ readonly duplicate: boolean }> => {
  const options = { msgID: id, timeout: shared.timeoutMs, expect: { streamName: shared.settings.name } };
  try {
    const { duplicate } = await client.publish(subject, payload, options);
    return { duplicate };
  } catch (error) {
    // Nobody takes this subject: the stream is gone, or was never there.
    if (!(error instanceof NatsError) || error.code !== '503') {
      throw new MessageBusUnavailable(`NATS did not store a message: ${reasonOf(error)}`);
    }
  }
  const created = await makeStream(shared, connection);
  if (created)
    shared.logger.warn({ stream: shared.settings.name }, 'nats: the stream was gone and is made again, empty');
  try {
    const { duplicate } = await client.publish(subject, payload, options);
    return { duplicate };
  } catch (error) {
    throw new MessageBusUnavailable(`NATS did not store a message: ${reasonOf(error)}`);
  }
};

const makeStream = async ({ settings, timeoutMs }: Shared, connection: NatsConnection): Promise<boolean> => {
  try {
    return await ensureStream(await connection.jetstreamManager({ timeout: timeoutMs }), settings);
  } catch (error) {
    if (error instanceof MessageStreamUnfit) throw error;
    throw new MessageBusUnavailable(`The stream ${settings.name} cannot be made or read: ${reasonOf(error)}`);
  }
};

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
