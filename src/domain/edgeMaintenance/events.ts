import type { Message } from '../kernel.ts';

/** One stream per on-prem deployment scope, `onprem:<12 hex>`. The epoch rises when a restore makes older agents stale. */
export type EdgeMaintenanceEvent =
  | Message<'EdgeScopeRegistered', { epoch: number }>
  | Message<'EdgeMaintenanceBegan', { reason: string }>
  | Message<'EdgeMaintenanceEnded', { epoch: number }>;
