import type { SqlDatabase } from '../../../src/platform/database/port.ts';

/** The statement, counted from 1, at which a process dies: before it is sent, or once it was carried out and nobody hears of it. */
export type Death = { readonly at: number; readonly when: 'before' | 'after' };

/** The same database, seen by a process that dies and from then on does nothing any more. A commit is a statement, too. */
export const dying = (database: SqlDatabase, { at, when }: Death): { database: SqlDatabase; gone: Promise<void> } => {
  let uses = 0;
  let isGone = false;
  let tell = (): void => {};
  const gone = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const die = (): never => {
    isGone = true;
    tell();
    throw new Error('the process is gone');
  };
  const use: Use = () => {
    uses += 1;
    const own = uses;
    if (isGone || (when === 'before' && own >= at)) die();
    return () => {
      if (isGone || own >= at) die();
    };
  };
  return { database: watched(database, use), gone };
};

export const dieAfter = (database: SqlDatabase, at: number): SqlDatabase =>
  dying(database, { at, when: 'before' }).database;

export type UseKind = 'statement' | 'copy' | 'commit' | 'pipelinedCommit';

/** How the work uses the database, in the order in which it does. */
export const usesOf = async (
  database: SqlDatabase,
  work: (database: SqlDatabase) => Promise<unknown>,
): Promise<readonly UseKind[]> => {
  const uses: UseKind[] = [];
  const use: Use = (kind) => {
    uses.push(kind);
    return () => {};
  };
  await work(watched(database, use));
  return uses;
};

/** Called before a statement is sent; answers what is called when it was carried out. */
type Use = (kind: UseKind) => () => void;

const watched = (database: SqlDatabase, use: Use): SqlDatabase => {
  const spied = (session: SqlDatabase['session']): SqlDatabase['session'] => ({
    getExecutor: () => {
      const executor = session.getExecutor();
      return new Proxy(executor, {
        get: (inner, name) => {
          if (name === 'executeQuery') {
            return async (...given: Parameters<typeof inner.executeQuery>) => {
              const done = use('statement');
              const result = await inner.executeQuery(...given);
              done();
              return result;
            };
          }
          const value: unknown = Reflect.get(inner, name);
          return typeof value === 'function' ? value.bind(inner) : value;
        },
      });
    },
  });
  const { copy, pipelined } = database;
  const spying =
    (transaction: SqlDatabase['transaction'], kind: UseKind): SqlDatabase['transaction'] =>
    async (work) => {
      let committed = (): void => {};
      const result = await transaction(async (session) => {
        const inside = await work(spied(session));
        committed = use(kind);
        return inside;
      });
      committed();
      return result;
    };
  return {
    ...database,
    transaction: spying(database.transaction, 'commit'),
    pipelined: pipelined && spying(pipelined, 'pipelinedCommit'),
    session: spied(database.session),
    copy:
      copy === undefined
        ? undefined
        : async (...given) => {
            const done = use('copy');
            await copy(...given);
            done();
          },
  };
};
