// A durable consumer of Opslog's events: writes one line per finished deployment to a file, each exactly once.
//
//   npx esbuild examples/consumer.ts --bundle --platform=node --format=esm --packages=external |
//     NATS_URL=nats://127.0.0.1:4222 node --input-type=module - deployments.jsonl
//
// NATS_STREAM and NATS_SUBJECTS are what OPSLOG_NATS_STREAM and OPSLOG_NATS_SUBJECTS are at the server, when those are set.
//
// NATS delivers at least once. The id of the event is on the line that it leads to, so that remembering the event and doing
// the work are one write: after a crash between work and acknowledgement the second delivery is recognised.
import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync } from 'node:fs';
import { AckPolicy, type ConsumerMessages, connect, DeliverPolicy } from 'nats';

export type ConsumerOptions = {
  readonly url: string;
  readonly stream: string;
  /** First token of the subjects. */
  readonly prefix: string;
  /** The server remembers under this name how far this consumer has got. */
  readonly durable: string;
  readonly file: string;
  readonly signal: AbortSignal;
};

type CloudEvent = { readonly id: string; readonly type: string; readonly time: string; readonly data: object };

const isCloudEvent = (value: unknown): value is CloudEvent =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string' &&
  'type' in value &&
  typeof value.type === 'string' &&
  'time' in value &&
  typeof value.time === 'string' &&
  'data' in value &&
  typeof value.data === 'object';

/** Reads back what earlier runs did. A last line that a crash cut short was never acknowledged: it comes again. */
const handledBefore = (file: string): Set<string> => {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  if (complete.length < text.length) truncateSync(file, Buffer.byteLength(complete));
  const ids = complete
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
  return new Set(ids.filter(isCloudEvent).map(({ id }) => id));
};

const writeLine = (file: string, event: CloudEvent): void => {
  const handle = openSync(file, 'a');
  appendFileSync(handle, `${JSON.stringify({ id: event.id, type: event.type, time: event.time, data: event.data })}\n`);
  fsyncSync(handle);
  closeSync(handle);
};

const wanted = new Set(['opslog.edgeWorker.DeploymentCompleted', 'opslog.edgeWorker.DeploymentFailed']);

/** Runs until the signal aborts. */
export const consume = async (options: ConsumerOptions): Promise<void> => {
  const { url, stream, prefix, durable, file, signal } = options;
  const handled = handledBefore(file);
  const connection = await connect({ servers: url, name: 'opslog-example-consumer', maxReconnectAttempts: -1 });
  const manager = await connection.jetstreamManager();
  await manager.consumers.add(stream, {
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    // One subject, so that servers before 2.10 take it too; which events matter is decided below.
    filter_subject: `${prefix}.*.edgeWorker.*`,
  });
  const consumer = await connection.jetstream().consumers.get(stream, durable);
  const messages: ConsumerMessages = await consumer.consume();
  signal.addEventListener('abort', () => messages.stop(), { once: true });
  if (signal.aborted) messages.stop();
  for await (const message of messages) {
    const event = message.json<unknown>();
    if (isCloudEvent(event) && wanted.has(event.type) && !handled.has(event.id)) {
      writeLine(file, event);
      handled.add(event.id);
    }
    // Only now: what is not acknowledged is delivered again.
    message.ack();
  }
  await connection.drain();
};

const [file] = process.argv.slice(2);
if (process.env['NATS_URL'] !== undefined && file !== undefined && process.env['VITEST'] === undefined) {
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort());
  process.once('SIGTERM', () => stopping.abort());
  const names = { stream: process.env['NATS_STREAM'] ?? 'OPSLOG', durable: 'example-deployments' };
  const prefix = process.env['NATS_SUBJECTS'] ?? 'opslog';
  await consume({ url: process.env['NATS_URL'], ...names, prefix, file, signal: stopping.signal });
}
