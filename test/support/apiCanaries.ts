import { sql } from 'kysely';
import { maskText } from '../../src/domain/masking.ts';
import type { Database } from '../../src/platform/database/port.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import type { ReadTables } from '../../src/projections/schema.ts';
import { tables } from '../../src/projections/tables.ts';
import { createCanaries, refuseSightings, type Search, type Sighting, searchFor } from './canaries.ts';
import { secretsAnswered, secretsSent, withoutSecrets } from './marks.ts';
import type { StoredMessage } from './nats.ts';

export type Exchange = {
  readonly operationId: string;
  readonly token: string | undefined;
  /** As JSON, or what was sent as it is. */
  readonly body: unknown;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly answer: unknown;
};

type Places = {
  readonly log: EventLog;
  readonly database: Database<ReadTables>;
  readonly logged: readonly string[];
  readonly metrics: () => Promise<string>;
  /** What was published. */
  readonly messages: () => Promise<readonly StoredMessage[]>;
};

/** Notes the secrets of every exchange, by the marks of its operation, and looks for them in all that the API leaves. */
export const createApiCanaries = () => {
  const { secrets, add } = createCanaries();
  const answers: string[] = [];
  return {
    secrets,
    add,
    /** What was answered so far, without what may be told. */
    answers,
    note: ({ operationId, token, body, status, headers, text, answer }: Exchange): void => {
      // Whatever has the shape of a token is masked by it.
      if (token !== undefined && maskText(token) !== token) add(token, 'a bearer token');
      for (const secret of secretsSent(operationId, body)) add(secret, `sent to ${operationId}`);
      const told = secretsAnswered(operationId, answer);
      for (const secret of told) add(secret, `told by ${operationId}`);
      const rest = told.length === 0 ? text : JSON.stringify(withoutSecrets(operationId, answer));
      answers.push(`${operationId} ${status}\n${[...headers].join('\n')}\n${rest}`);
    },
    /** Throws when one of them is anywhere but in the fields that may tell it. */
    check: async ({ log, database, logged, metrics, messages }: Places): Promise<void> => {
      const search = searchFor(secrets);
      refuseSightings([
        ...logged.flatMap((line) => search('a line that was logged', line)),
        ...answers.flatMap((text) => search(`an answer of ${text.split('\n', 1)[0]}`, text)),
        ...search('/metrics', await metrics()),
        ...searchMessages(search, await messages()),
        ...(await searchEvents(search, log)),
        ...(await searchTables(search, database)),
      ]);
    },
  };
};
export type ApiCanaries = ReturnType<typeof createApiCanaries>;

export const searchMessages = (search: Search, messages: readonly StoredMessage[]): readonly Sighting[] =>
  messages.flatMap(({ subject, headers, body }) => [
    ...search('the subject of a message', subject),
    ...search('a header of a message', headers),
    ...search('the body of a message', body),
  ]);

export const searchEvents = async (search: Search, log: Pick<EventLog, 'readAll'>): Promise<readonly Sighting[]> => {
  const found: Sighting[] = [];
  for await (const { stream, type, data, metadata, id } of log.readAll()) {
    found.push(...search(`${type} in ${categoryOf(stream)}`, JSON.stringify({ id, stream, data, metadata })));
  }
  return found;
};

/** The rest of a stream's name may be what was found. */
export const categoryOf = (stream: string): string => stream.split('-', 1)[0] ?? '';

export const searchTables = async (search: Search, { session }: Database<ReadTables>): Promise<readonly Sighting[]> => {
  const found: Sighting[] = [];
  for (const name of [...tables.map((table) => table.name), 'projection_checkpoints']) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(session);
    for (const row of rows) found.push(...search(`a row of ${name}`, JSON.stringify(row, plain)));
  }
  return found;
};

const plain = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
