import type { Message } from '../kernel.ts';

/**
 * A credential was opened for a purpose. One fact for all uses of one hour by one subject: the stream is named after
 * credential, purpose, subject and hour, so that no stream grows with use and two who record the same meet in one.
 */
export type CredentialUseEvent = Message<
  'CredentialUsed',
  {
    credentialId: string;
    version: number;
    /** What for, as a word: `server.connect`. */
    purpose: string;
    /** Id of what it was used on. */
    subjectId: string;
    /** Beginning of the hour, milliseconds since the epoch. */
    windowStart: number;
  }
>;
