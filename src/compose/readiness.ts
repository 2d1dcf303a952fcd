import type { Readiness } from '../api/deps.ts';
import type { Parts } from '../parts.ts';
import type { ReadTablesPart } from './readTables.ts';

type Check = { readonly ok: boolean; readonly detail?: string };

export type ReadinessPart = {
  add(name: string, check: () => Check | Promise<Check>): void;
  /** Every part of this process has been started. */
  started(): void;
  read(): Promise<Readiness>;
};

/** Ready: everything is started, log and database answer, and no table has stopped or is far behind. */
export const createReadiness = ({ log, database, queries }: Parts, reads: ReadTablesPart): ReadinessPart => {
  let started = false;
  const checks = new Map<string, () => Check | Promise<Check>>([
    ['started', () => ({ ok: started })],
    ['log', () => answers(() => log.head())],
    [`database (${database.kind})`, () => answers(() => queries.workspace({ workspaceId: '' }))],
    ['readTables', () => tablesOf(reads)],
  ]);
  return {
    add: (name, check) => {
      checks.set(name, check);
    },
    started: () => {
      started = true;
    },
    read: async () => {
      const results = await Promise.all([...checks].map(async ([name, check]) => ({ name, ...(await check()) })));
      return { ready: results.every((result) => result.ok), checks: results, lag: lagOf(reads) };
    },
  };
};

const answerWithinMs = 3_000;

const answers = async (ask: () => Promise<unknown>): Promise<Check> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Check>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, detail: `no answer within ${answerWithinMs} ms` }), answerWithinMs);
  });
  const answered = ask().then(
    (): Check => ({ ok: true }),
    (error: unknown): Check => ({ ok: false, detail: error instanceof Error ? error.name : 'failed' }),
  );
  const result = await Promise.race([answered, late]);
  clearTimeout(timer);
  return result;
};

const tablesOf = ({ projector }: ReadTablesPart): Check => {
  const halted = projector?.status().filter(({ phase }) => phase === 'stopped' || phase === 'outdated') ?? [];
  if (halted.length === 0) return { ok: true };
  return { ok: false, detail: halted.map(({ table, phase }) => `${table} is ${phase}`).join('; ') };
};

const lagOf = ({ projector }: ReadTablesPart): Readiness['lag'] => {
  const status = projector?.status() ?? [];
  return {
    events: Math.max(0, ...status.map(({ pendingEvents }) => pendingEvents)),
    ms: Math.max(0, ...status.map(({ lagMs }) => lagMs)),
  };
};
