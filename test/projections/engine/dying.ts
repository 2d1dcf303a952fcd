import type { SqlDatabase } from '../../../src/platform/database/port.ts';
import { everyTransaction } from '../../support/everyTransaction.ts';

/** The same database, seen by a process that dies at its n-th use of it, and from then on does nothing any more. */
export const dieAfter = (database: SqlDatabase, deadline: number): SqlDatabase => {
  let uses = 0;
  return counting(database, () => {
    uses += 1;
    if (uses >= deadline) throw new Error('the process is gone');
  });
};

/** How often the work uses the database. */
export const countUses = async (
  database: SqlDatabase,
  work: (database: SqlDatabase) => Promise<unknown>,
): Promise<number> => {
  let uses = 0;
  await work(
    counting(database, () => {
      uses += 1;
    }),
  );
  return uses;
};

const counting = (database: SqlDatabase, use: () => void): SqlDatabase => {
  const spied = (session: SqlDatabase['session']): SqlDatabase['session'] => ({
    getExecutor: () => {
      const executor = session.getExecutor();
      return new Proxy(executor, {
        get: (inner, name) => {
          if (name === 'executeQuery') {
            return (...given: Parameters<typeof inner.executeQuery>) => {
              use();
              return inner.executeQuery(...given);
            };
          }
          const value: unknown = Reflect.get(inner, name);
          return typeof value === 'function' ? value.bind(inner) : value;
        },
      });
    },
  });
  const { copy } = database;
  const spying =
    (transaction: SqlDatabase['transaction']): SqlDatabase['transaction'] =>
    (work) =>
      transaction(async (session) => {
        const result = await work(spied(session));
        use();
        return result;
      });
  return {
    ...everyTransaction(database, spying),
    session: spied(database.session),
    copy:
      copy === undefined
        ? undefined
        : async (...given) => {
            use();
            return copy(...given);
          },
  };
};
