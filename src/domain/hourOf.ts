/** Uses are noted by the hour: often enough to see what is still needed, seldom enough for a log that is kept for ever. */
export const hourOf = (ms: number): number => Math.floor(ms / 3_600_000);
