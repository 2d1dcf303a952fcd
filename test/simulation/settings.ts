/** Figures of the simulated world, milliseconds. The program is told the leases and timeouts; the rest is what befalls it. */
export const settings = {
  start: 1_700_000_000_000,
  chaosMs: 60_000,
  /** So long after the faults have ended, everything must have settled. */
  quietWithinMs: 900_000,
  leaseMs: 6_000,
  jobLeaseMs: 6_000,
  stepTimeoutMs: 30_000,
  pollMs: 3_000,
  maxAttempts: 4,
  /** What a request that nobody waits for any more may still do, it does within this time. */
  lateEffectMs: 2_500,
  /** Lists outside may be as old as this. */
  readLagMs: 1_000,
  /** The clocks of two nodes differ by twice this at most. */
  skewMs: 100,
} as const;

/** After this, what is not to be seen outside did not happen, and will not. */
export const windowMs = settings.lateEffectMs + settings.readLagMs + 500;
