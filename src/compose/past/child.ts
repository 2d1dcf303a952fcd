import { setFlagsFromString } from 'node:v8';
import { decode } from '../../commands/envelope.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { openEventLog } from '../../platform/eventLog/open.ts';
import { replayHere } from '../../projections/past/replay.ts';
import type { Queries } from '../../projections/queries.ts';
import { type PastAsked, type PastSaid, pastAsked } from './protocol.ts';

// The process of one look back: replays a workspace, answers questions to its tables, and is gone as soon as its parent is.

// A short life does not pay for the best code of a database: compiling that took half of the time and 80 MB. A V8 that does not
// know this flag goes on without it.
setFlagsFromString('--wasm-tiering-budget=500000000');

const stopping = new AbortController();

/** Pages of names, as they come. */
const createInbox = () => {
  const pages: (readonly string[])[] = [];
  let isLast = false;
  let wake = (): void => {};
  return {
    put: (names: readonly string[], last: boolean): void => {
      pages.push(names);
      isLast = last;
      wake();
    },
    read: async function* (): AsyncGenerator<readonly string[]> {
      for (;;) {
        const page = pages.shift();
        if (page) yield page;
        else if (isLast) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
};

const inbox = createInbox();
let queries: Queries | undefined;

const replay = async (asked: Extract<PastAsked, { kind: 'replay' }>): Promise<unknown> => {
  const { eventStoreUrl, logPatienceMs, position } = asked;
  const log = await openEventLog({ connectionString: eventStoreUrl, giveUpAfterMs: logPatienceMs });
  const openTables = replayHere({ log, decode, openScratch: () => openDatabase('pglite:memory') });
  const opened = await openTables({ position, pages: inbox.read() }, stopping.signal);
  queries = opened.queries;
  await log.close();
  return opened.replayed;
};

const query = async ({ name, args }: Extract<PastAsked, { kind: 'query' }>): Promise<unknown> => {
  if (!queries || !Object.hasOwn(queries, name)) throw new Error(`There is no query ${name}.`);
  return Reflect.apply(Reflect.get(queries, name), queries, [args]);
};

const say = (answer: PastSaid): void => {
  process.send?.(answer);
};

const answer = async (id: number, work: Promise<unknown>): Promise<void> => {
  try {
    say({ ok: true, id, value: await work });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    say({ ok: false, id, name, reason: message });
  }
};

process.on('message', (message: unknown) => {
  const asked = pastAsked.parse(message);
  if (asked.kind === 'streams') inbox.put(asked.names, asked.last);
  else void answer(asked.id, asked.kind === 'replay' ? replay(asked) : query(asked));
});

process.on('disconnect', () => process.exit());
