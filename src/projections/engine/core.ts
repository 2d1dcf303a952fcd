import type { SqlDatabase } from '../../platform/database/port.ts';
import type { EventLog } from '../../platform/eventLog/port.ts';
import type { AnyTable } from '../table.ts';
import type { Sleep } from './backoff.ts';
import type { Decode } from './fold.ts';
import type { Lane } from './lane.ts';
import type { TableFailure } from './tableFailure.ts';
import type { TableState } from './tableState.ts';
import type { Waiters } from './waiters.ts';

export type ProjectorLogger = {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
};

export type CommittedBatch = {
  readonly position: bigint;
  readonly events: number;
  readonly rows: number;
  readonly durationMs: number;
};

export type ProjectorOptions = {
  readonly log: EventLog;
  readonly database: SqlDatabase;
  /** Created by `createTables` before. */
  readonly tables: readonly AnyTable[];
  readonly decode: Decode;
  readonly logger: ProjectorLogger;
  /** Ends the projector; what is being written is finished first. */
  readonly signal: AbortSignal;
  /** Events in one transaction at most; 1,000 when not given. */
  readonly maxBatch?: number;
  /** After each commit; `changed` names the tables that were written (a cascade counts for its parent). */
  readonly onCommitted?: (position: bigint, changed: ReadonlySet<string>) => void;
  readonly onStopped?: (table: string, reason: string) => void;
  /** Rows left out because their parent was removed. */
  readonly onOrphans?: (table: string, rows: number) => void;
  /** A write of several events was refused by this table and is tried again in halves. */
  readonly onHalved?: (table: string) => void;
  readonly onBatch?: (batch: CommittedBatch) => void;
  readonly now?: () => number;
  readonly sleep?: Sleep;
};

/** What the parts of one projector share. */
export type Core = {
  readonly options: ProjectorOptions & { readonly now: () => number; readonly sleep: Sleep };
  readonly states: ReadonlyMap<string, TableState>;
  readonly waiters: Waiters;
  /** To be called before so many events are written in halves. */
  readonly halving: (failure: TableFailure, events: number) => void;
  readonly lanes: Set<Lane>;
  /** The lane that is furthest; the others hand their tables to it once they get there. */
  leader: Lane | undefined;
};

export const leaveLanes = (core: Core, state: TableState): void => {
  for (const lane of core.lanes) lane.states.delete(state);
};

export const laneOf = (core: Core, state: TableState): Lane | undefined => {
  for (const lane of core.lanes) if (lane.states.has(state)) return lane;
  return undefined;
};
