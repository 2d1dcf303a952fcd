import type { Cli } from '../cli.ts';

/** Position of a log as a share of its end, with rate and time to go, on one line that is rewritten. */
export const createMeter = (cli: Cli, label: string, now: () => number = () => performance.now()) => {
  const startedAt = now();
  let shownAt = 0;
  return (events: number, position: string, head: string): void => {
    const at = now();
    if (at - shownAt < 100) return;
    shownAt = at;
    cli.status(meterLine({ label, events, position: Number(position), head: Number(head), elapsedMs: at - startedAt }));
  };
};

export type Reading = {
  readonly label: string;
  readonly events: number;
  readonly position: number;
  readonly head: number;
  readonly elapsedMs: number;
};

export const meterLine = ({ label, events, position, head, elapsedMs }: Reading): string => {
  const share = head === 0 ? 1 : Math.min(1, position / head);
  const rate = elapsedMs === 0 ? 0 : (events / elapsedMs) * 1_000;
  const leftMs = share === 0 ? Number.POSITIVE_INFINITY : (elapsedMs / share) * (1 - share);
  const bar = '#'.repeat(Math.round(share * 20)).padEnd(20, '.');
  return `${label} [${bar}] ${Math.floor(share * 100)} %  ${events} events, ${Math.round(rate)}/s, ${duration(leftMs)} to go`;
};

export const duration = (ms: number): string => {
  if (!Number.isFinite(ms)) return '?';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
};
