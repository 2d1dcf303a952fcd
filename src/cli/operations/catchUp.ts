import type { Parts } from '../../parts.ts';
import { createTables, readCheckpoints, startProjector } from '../../projections/engine/index.ts';

const lookMs = 50;
const patienceMs = 2_000;
const catchUpMs = 120_000;

/**
 * Brings the read tables up to a position before somebody judges them. A projector that runs is given a moment; when
 * nobody moves the tables (the server is stopped), they are projected here. Tables that cannot go on stay behind.
 */
export const catchUp = async (parts: Parts, position: bigint, signal: AbortSignal): Promise<void> => {
  await createTables(parts.database, parts.tables);
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    if (await haveAll(parts, position)) return;
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  const stopping = new AbortController();
  const { log, database, tables, decode, logger } = parts;
  const end = AbortSignal.any([signal, stopping.signal]);
  const projector = startProjector({ log, database, tables, decode, logger, signal: end });
  try {
    await projector.waitFor(position, { timeoutMs: catchUpMs });
  } finally {
    stopping.abort();
    await projector.done;
  }
};

const haveAll = async ({ database, tables }: Parts, position: bigint): Promise<boolean> => {
  const checkpoints = await readCheckpoints(database.session);
  return tables.every(({ name }) => (checkpoints.get(name)?.position ?? -1n) >= position);
};
