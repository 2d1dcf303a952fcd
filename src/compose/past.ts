import type { Parts } from '../parts.ts';
import { openDatabase } from '../platform/database/database.ts';
import { createPast, type Past } from '../projections/past/past.ts';

/** Looks back at workspaces, each time in an embedded database that is in memory alone. */
export const startPast = ({ log, queries, decode, logger }: Parts): Past =>
  createPast({
    ...{ log, queries, decode },
    openScratch: () => openDatabase('pglite:memory'),
    onReplayed: (what) => logger.info(what, 'A workspace was replayed to be looked at as it was.'),
  });
