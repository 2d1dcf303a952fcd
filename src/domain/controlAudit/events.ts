import type { Message } from '../kernel.ts';

/** `denied`: the caller may not. `refused`: the caller may, and a rule said no. */
export type ControlResult = 'denied' | 'refused';

/**
 * What was asked of edge workers or credentials and not done. One stream per intent: repeats of it within its window meet there. Bounded
 * names and ids only, and of what was sent a keyed digest: never source, value, token or key.
 */
export type ControlAuditEvent =
  | Message<
      'ControlActionRefused',
      {
        /** Operation of the API, for example `deployRevision`. */
        action: string;
        resourceType: string;
        resourceId: string;
        result: ControlResult;
        /** The code of the problem that was answered, or of what was hidden behind it. */
        reasonCode: string;
        /** HMAC-SHA-256 of the request's body, hex; '' when none was read. */
        digest: string;
      }
    >
  /** Too many in one window: so many more were refused and not written down one by one. Times are milliseconds. */
  | Message<'ControlRefusalsOmitted', { count: number; windowStart: number; windowMs: number }>;
