import type { AnyTable } from '../table.ts';

/** Where one table stands, as this projector knows. `position` is the checkpoint in the database. */
export type TableState = {
  readonly table: AnyTable;
  position: bigint;
  phase: 'loading' | 'active' | 'stopped' | 'outdated';
  reason: string;
  caughtUp: boolean;
  /** When the newest event it has was recorded; 0 for none. */
  recordedAt: number;
};

export type TableStatus = {
  readonly table: string;
  readonly version: number;
  readonly position: bigint;
  /** `outdated`: another version is in the database, and a rebuild must replace it first. */
  readonly phase: 'loading' | 'catchingUp' | 'following' | 'stopped' | 'outdated';
  /** Why it is stopped, or ''. */
  readonly reason: string;
  /** Age of the newest event it has while there are newer ones; 0 when it has everything. */
  readonly lagMs: number;
  /** Events that were read and are not yet in the table. */
  readonly pendingEvents: number;
};

export const statusOf = (state: TableState, pendingEvents: number, now: number): TableStatus => {
  const following = state.phase === 'active' && state.caughtUp && pendingEvents === 0;
  return {
    table: state.table.name,
    version: state.table.version,
    position: state.position,
    phase: state.phase !== 'active' ? state.phase : state.caughtUp ? 'following' : 'catchingUp',
    reason: state.reason,
    lagMs: following || state.recordedAt === 0 ? 0 : Math.max(0, now - state.recordedAt),
    pendingEvents,
  };
};
