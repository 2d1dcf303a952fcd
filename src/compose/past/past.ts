import type { Parts } from '../../parts.ts';
import { createPast, type Past } from '../../projections/past/past.ts';
import { inProcesses } from './openTables.ts';
import { pastProcessLimits } from './process.ts';

/** Looks back at workspaces, each time in a process of its own. */
export const startPast = ({ queries, eventStoreUrl, logger }: Parts): Past =>
  createPast({
    queries,
    openTables: inProcesses({ eventStoreUrl, shape: queries, limits: pastProcessLimits }),
    onReplayed: (what) => logger.info(what, 'A workspace was replayed to be looked at as it was.'),
  });
