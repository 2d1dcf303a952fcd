import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { describedError, errorMessage } from '../../../src/platform/log/port.ts';
import { onEveryDatabase, type TestDatabase } from '../../support/database.ts';

type Schema = { drawers: { id: string; label: string; n: number } };
const canary = `it's "canary" \`c7f1\` for key 'x' %s`;

const failureOf = (action: Promise<unknown>): Promise<unknown> =>
  action.then(
    () => 'nothing failed',
    (error: unknown) => error,
  );
const everythingOf = (error: unknown): string => `${errorMessage(error)} ${JSON.stringify(describedError(error))}`;

await onEveryDatabase('What is told of an error', (target) => {
  let one: TestDatabase<Schema>;
  beforeAll(async () => {
    one = await target.create<Schema>();
    await sql`create table drawers (id varchar(64) primary key, label varchar(64), n integer, constraint uq_label unique (label))`.execute(
      one.database.session,
    );
    await sql`insert into drawers values ('a', ${canary}, 1)`.execute(one.database.session);
  });
  afterAll(() => one.drop());

  it('names the constraint that refused a value, and never the value', async () => {
    const { session } = one.database;
    const failure = await failureOf(sql`insert into drawers values ('b', ${canary}, 1)`.execute(session));
    expect(errorMessage(failure)).toMatch(/^(23505|ER_DUP_ENTRY)\b.*uq_label/);
    expect(everythingOf(failure)).not.toContain('c7f1');
  });

  it('says nothing of a value that does not fit, of one of another type, nor of a statement that is wrong', async () => {
    const { session } = one.database;
    const failures = await Promise.all([
      failureOf(sql`insert into drawers values ('c', ${canary.repeat(4)}, 1)`.execute(session)),
      failureOf(sql`insert into drawers values ('d', 'd', ${canary})`.execute(session)),
      failureOf(sql`selekt ${sql.lit(canary)}`.execute(session)),
    ]);
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(Error);
      expect(errorMessage(failure)).toMatch(/22001|22P02|42601|ER_/);
      expect(everythingOf(failure)).not.toContain('c7f1');
    }
  });
});

describe('What is told of an error', () => {
  test('keeps what our own errors say, their code and where they come from', () => {
    const error = Object.assign(new Error("the worker 'shop' is paused"), { code: 'PAUSED', token: 'c7f1' });
    expect(errorMessage(error)).toBe("the worker 'shop' is paused");
    expect(describedError(error)).toMatchObject({ type: 'Error', message: error.message, code: 'PAUSED' });
    expect(JSON.stringify(describedError(error))).not.toContain('c7f1');
    expect(describedError(error)).toHaveProperty('stack', expect.stringMatching(/^ {4}at .*errors\.test\.ts/));
  });

  test('says nothing of a text that is no JSON, also when it is the cause of another error', () => {
    const failure = ((): unknown => {
      try {
        return JSON.parse(`{"password": c7f1}`);
      } catch (error) {
        return new Error('The answer cannot be read.', { cause: error });
      }
    })();
    expect(everythingOf(failure)).not.toContain('c7f1');
    expect(describedError(failure)).toMatchObject({ cause: { type: 'SyntaxError', message: 'SyntaxError' } });
  });

  test('says nothing of a text whose lines look like the frames of a stack, and ends where causes go in a circle', () => {
    const error: SyntaxError & { cause?: unknown } = new SyntaxError(`"no JSON"\n    at c7f1 (c7f1:1:1)`);
    error.cause = error;
    expect(everythingOf(error)).not.toContain('c7f1');
    expect(describedError(error)).toHaveProperty('stack', expect.stringContaining('errors.test.ts'));
  });

  test('is the thing itself when it is no error', () => {
    expect([describedError('gone'), errorMessage('gone')]).toEqual(['gone', 'gone']);
  });
});
