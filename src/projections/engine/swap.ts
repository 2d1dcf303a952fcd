import type { SqlDatabase } from '../../platform/database/port.ts';
import type { AnyTable } from '../table.ts';

/** Completes or cleans up what a rebuild that ended early has left. Call it under the schema lock. */
export const finishSwap = async (_database: SqlDatabase, _tables: readonly AnyTable[]): Promise<void> => {};
