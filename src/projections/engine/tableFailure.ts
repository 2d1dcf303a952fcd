import { errorMessage } from '../../platform/log/port.ts';

/** A handler or a statement of one table failed; the others are not to blame. */
export class TableFailure extends Error {
  override readonly name = 'TableFailure';
  readonly table: string;

  constructor(table: string, cause: unknown) {
    super(`${table}: ${errorMessage(cause)}`, { cause });
    this.table = table;
  }
}
