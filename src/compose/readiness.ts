import { dirname } from 'node:path';
import type { Readiness } from '../api/deps.ts';
import type { Parts } from '../parts.ts';
import { diskRoom } from '../platform/node/diskRoom.ts';
import type { ReadTablesPart } from './readTables.ts';

type Check = { readonly ok: boolean; readonly detail?: string };

export type ReadinessPart = {
  add(name: string, check: () => Check | Promise<Check>): void;
  /** Every part of this process has been started. */
  started(): void;
  read(): Promise<Readiness>;
};

/** Ready: everything is started, log and database answer, and every table follows the log. */
export const createReadiness = ({ log, database, queries, folder }: Parts, reads: ReadTablesPart): ReadinessPart => {
  let started = false;
  const checks = new Map<string, () => Check | Promise<Check>>([
    ['started', () => ({ ok: started })],
    ['log', () => answers(() => log.head())],
    ['disk', () => diskRoom([folder.dir, dirname(folder.artifacts)])],
    [`database (${database.kind})`, () => answers(() => queries.workspace({ workspaceId: '' }))],
  ]);
  return {
    add: (name, check) => {
      checks.set(name, check);
    },
    started: () => {
      started = true;
    },
    read: async () => {
      const asked = Promise.all([...checks].map(async ([name, check]) => ({ name, ...(await check()) })));
      const { lag, ...tables } = await tablesOf(reads);
      const results = [...(await asked), { name: 'readTables', ...tables }];
      return { ready: results.every((result) => result.ok), checks: results, lag };
    },
  };
};

const answerWithinMs = 3_000;

/** What came of asking, or why nothing did. */
const inTime = async <Answer>(ask: () => Promise<Answer>): Promise<{ readonly answer: Answer } | string> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${answerWithinMs} ms`), answerWithinMs);
  });
  const answered = ask().then(
    (answer) => ({ answer }),
    (error: unknown) => (error instanceof Error ? error.name : 'failed'),
  );
  const result = await Promise.race([answered, late]);
  clearTimeout(timer);
  return result;
};

const answers = async (ask: () => Promise<unknown>): Promise<Check> => {
  const result = await inTime(ask);
  return typeof result === 'string' ? { ok: false, detail: result } : { ok: true };
};

const tablesOf = async (reads: ReadTablesPart): Promise<Check & Pick<Readiness, 'lag'>> => {
  const result = await inTime(() => reads.health());
  if (typeof result === 'string') return { ok: false, detail: result, lag: { events: 0, ms: 0 } };
  const { halted, lag } = result.answer;
  return halted.length === 0 ? { ok: true, lag } : { ok: false, detail: halted.join('; '), lag };
};
