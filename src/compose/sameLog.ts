import type { Parts } from '../parts.ts';
import type { StoredEvent } from '../platform/eventLog/port.ts';
import { readCheckpoints } from '../projections/engine/checkpoints.ts';
import { outdatedTables } from '../projections/engine/createTables.ts';

/**
 * Were the read tables made from this very log? Not when it was put back to an older state, or is another installation's.
 * Answers '' or the difference. It looks at the last event that the audit trail has: a log is never changed before that.
 */
export const differsFromLog = async (parts: Parts): Promise<string> => {
  const { database, tables, log, decode, queries } = parts;
  const checkpoints = await readCheckpoints(database.session);
  const end = await log.end();
  for (const { name, position } of checkpoints.values()) {
    if (position > end) return `${name} has everything up to ${position}, and the log ends at ${end}`;
  }
  if (outdatedTables(tables, checkpoints).includes('audit_logs')) return '';
  const position = checkpoints.get('audit_logs')?.position ?? 0n;
  const last = position === 0n ? undefined : await eventAt(parts, position);
  if (last === undefined || decode(last) === undefined) return '';
  const known = await queries.auditedAt({ eventId: last.id, position });
  return known === 'other' ? `the event at ${position} is ${last.id}, and another one was projected from there` : '';
};

const eventAt = async ({ log }: Parts, position: bigint): Promise<StoredEvent | undefined> => {
  for await (const event of log.readAll({ after: position - 1n, limit: 1 })) {
    if (event.position === position) return event;
  }
  return undefined;
};
