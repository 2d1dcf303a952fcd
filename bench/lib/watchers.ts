import { connect, DeliverPolicy } from 'nats';
import pg from 'pg';

/** Notes when what a command led to was first seen, by the command's correlation id. */
export type Watcher = {
  readonly seen: ReadonlyMap<string, number>;
  stop(): Promise<void>;
};

const announceRows = `
  create or replace function bench_announce() returns trigger language plpgsql as
    $$ begin perform pg_notify('bench_rows', ''); return null; end $$;
  create or replace trigger bench_announce after insert on audit_logs for each statement execute function bench_announce()`;

/**
 * Reads new rows of the audit table whenever a commit announces some: a trigger of the benchmark does, at the cost of what
 * is measured, and no pause between two questions adds to the latency.
 */
export const watchRows = async (url: string, workspaceId: string): Promise<Watcher> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(announceRows);
  const seen = new Map<string, number>();
  const newest = 'select coalesce(max(seq), 0) as seq from audit_logs where workspace_id = $1';
  const { rows } = await client.query<{ seq: string }>(newest, [workspaceId]);
  let last = Number(rows[0]?.seq);
  const look = async (): Promise<void> => {
    const found = await client.query<{ seq: string; correlation_id: string }>({
      name: 'newer',
      text: 'select seq, correlation_id from audit_logs where workspace_id = $1 and seq > $2 order by seq',
      values: [workspaceId, last],
    });
    const now = performance.now();
    for (const row of found.rows) {
      seen.set(row.correlation_id, now);
      last = Number(row.seq);
    }
  };
  let looking = Promise.resolve();
  client.on('notification', () => {
    looking = looking.then(look);
  });
  await client.query('listen bench_rows');
  return {
    seen,
    stop: async () => {
      await client.query('unlisten bench_rows');
      await looking;
      await client.end();
    },
  };
};

/** An ordered consumer of the stream: what it is given, JetStream has stored. */
export const watchMessages = async (server: string, stream: string): Promise<Watcher> => {
  const connection = await connect({ servers: server });
  const consumer = await connection.jetstream().consumers.get(stream, { deliver_policy: DeliverPolicy.New });
  const messages = await consumer.consume();
  const seen = new Map<string, number>();
  const watch = async (): Promise<void> => {
    for await (const message of messages) {
      const { correlationid } = message.json<{ correlationid?: string }>();
      if (correlationid !== undefined) seen.set(correlationid, performance.now());
    }
  };
  const watching = watch();
  return {
    seen,
    stop: async () => {
      await messages.close();
      await watching;
      await connection.close();
    },
  };
};

/** Removes the stream of a run. */
export const deleteStream = async (server: string, stream: string): Promise<void> => {
  const connection = await connect({ servers: server });
  const manager = await connection.jetstreamManager();
  await manager.streams.delete(stream).catch(() => false);
  await connection.close();
};

/** Resolves when there is something for every id. Throws after ten seconds, with how many are missing. */
export const untilSeen = async ({ seen }: Watcher, ids: readonly string[]): Promise<void> => {
  const until = performance.now() + 10_000;
  for (;;) {
    const missing = ids.filter((id) => !seen.has(id)).length;
    if (missing === 0) return;
    if (performance.now() > until) throw new Error(`${missing} of ${ids.length} commands led to nothing.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
