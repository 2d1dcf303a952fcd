import type { SqlDatabase } from '../../src/platform/database/port.ts';

type Transaction = SqlDatabase['transaction'];

/** The same database, where something befalls each transaction, however its statements are sent. */
export const everyTransaction = <Database extends SqlDatabase>(
  database: Database,
  befall: (transaction: Transaction) => Transaction,
): Database => ({
  ...database,
  transaction: befall(database.transaction),
  pipelined: database.pipelined && befall(database.pipelined),
});
