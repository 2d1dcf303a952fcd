import { clip } from '../domain/kernel.ts';
import type { Parts } from '../parts.ts';
import { readCheckpoints } from '../projections/engine/checkpoints.ts';
import { outdatedTables } from '../projections/engine/createTables.ts';
import type { TableStatus } from '../projections/engine/tableState.ts';

export type ReadTablesHealth = {
  /** Tables that do not follow the log, and why. */
  readonly halted: readonly string[];
  /** Events that are not in the tables yet, and for how long the oldest of them has waited. */
  readonly lag: { readonly events: number; readonly ms: number };
};

const longestReason = 200;

/** Anybody may read this, and a database may quote what it refuses. */
const halt = (table: string, phase: string, reason: string): string => {
  const said = clip(reason.replaceAll(/'[^']*'/g, "'…'"), longestReason);
  return `${table} is ${phase}${said === '' ? '' : ` (${said})`}`;
};

const restored = 'the log was put back to an older state: restart the projector';

/** As this process's own projector knows it. */
export const statusHealth = (status: readonly TableStatus[], end: bigint): ReadTablesHealth => ({
  halted: status.flatMap(({ table, phase, reason, position }) => {
    if (phase === 'stopped' || phase === 'outdated') return [halt(table, phase, reason)];
    return position > end ? [halt(table, 'ahead of the log', restored)] : [];
  }),
  lag: {
    events: Math.max(0, ...status.map(({ pendingEvents }) => pendingEvents)),
    ms: Math.max(0, ...status.map(({ lagMs }) => lagMs)),
  },
});

const countedEvents = 1_000;
const ascending = (left: bigint, right: bigint): number => (left < right ? -1 : Number(left > right));

/** As the checkpoints tell it to a process that does not project; it counts a thousand events at most. */
export const remoteHealth = async ({ database, tables, log }: Parts): Promise<ReadTablesHealth> => {
  const checkpoints = await readCheckpoints(database.session);
  const end = await log.end();
  const outdated = new Set(outdatedTables(tables, checkpoints));
  const halted = tables.flatMap(({ name }) => {
    const reason = checkpoints.get(name)?.stopped ?? '';
    if (outdated.has(name)) return [halt(name, 'outdated', '')];
    if (reason !== '') return [halt(name, 'stopped', reason)];
    return (checkpoints.get(name)?.position ?? 0n) > end ? [halt(name, 'ahead of the log', restored)] : [];
  });
  const [after = 0n] = tables.map(({ name }) => checkpoints.get(name)?.position ?? 0n).toSorted(ascending);
  let events = 0;
  let oldest: number | undefined;
  for await (const event of log.readAll({ after, limit: countedEvents })) {
    oldest ??= event.recordedAt;
    events += 1;
  }
  return { halted, lag: { events, ms: oldest === undefined ? 0 : Math.max(0, Date.now() - oldest) } };
};
