import type { ReadDatabase } from '../schema.ts';

/** Every deployment scope that has a row. */
export const listScopes = async (db: ReadDatabase): Promise<readonly string[]> => {
  const rows = await db.selectFrom('edge_worker_maintenance').select('scope').orderBy('scope').execute();
  return rows.map(({ scope }) => scope);
};
