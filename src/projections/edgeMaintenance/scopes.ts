import type { ReadDatabase } from '../schema.ts';
import { at } from '../table.ts';

/** Every deployment scope that has a row. */
export const listScopes = async (db: ReadDatabase): Promise<readonly string[]> => {
  const rows = await db.selectFrom('edge_worker_maintenance').select('scope').orderBy('scope').execute();
  return rows.map(({ scope }) => scope);
};

/** Ids of the tickets of this scope that somebody holds at `now`, milliseconds since the epoch. */
export const listLeasedDeployments = async (
  db: ReadDatabase,
  { scope, now }: { readonly scope: string; readonly now: number },
): Promise<readonly string[]> => {
  const rows = await db
    .selectFrom('edge_worker_outbox')
    .select('ticket_id')
    .where('operation', '=', 'deploy')
    .where('status', '=', 'leased')
    .where('scope', '=', scope)
    .where('leased_until', '>', at(now))
    .orderBy('ticket_id')
    .execute();
  return rows.map((row) => row.ticket_id);
};
