import type { ProjectorLogger } from './core.ts';
import type { TableFailure } from './tableFailure.ts';

const quietMs = 60_000;

type Told = { readonly at: number; unsaid: number };

export type HalvingOptions = {
  readonly logger: Pick<ProjectorLogger, 'warn'>;
  readonly now: () => number;
  readonly onHalved: ((table: string) => void) | undefined;
};

/**
 * Told of every write of several events that is refused and tried again in halves. What is refused together and taken one
 * by one would otherwise show as slowness alone. The log hears of each table once a minute at most, and never of what is in its rows.
 */
export const createHalving = ({
  logger,
  now,
  onHalved,
}: HalvingOptions): ((failure: TableFailure, events: number) => void) => {
  const told = new Map<string, Told>();
  return ({ table, cause }, events) => {
    onHalved?.(table);
    const last = told.get(table);
    const at = now();
    if (last !== undefined && at - last.at < quietMs) {
      last.unsaid += 1;
      return;
    }
    told.set(table, { at, unsaid: 0 });
    const fields = { table, code: codeOf(cause), events, before: last?.unsaid ?? 0 };
    logger.warn(fields, 'A table refused several events together: they are written in halves, which is slower');
  };
};

/** A database's code, or the name of what a handler threw: messages may quote values. */
const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return /^\w{1,64}$/.test(code) ? code : 'unknown';
};
