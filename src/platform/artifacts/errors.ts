/** The bytes under this name are not what the name says; they are left in place for whoever looks into it. */
export class ArtifactCorrupt extends Error {
  override readonly name = 'ArtifactCorrupt';
  readonly digest: string;
  constructor(digest: string) {
    super(`The artifact ${digest} does not match its digest.`);
    this.digest = digest;
  }
}

/** A digest is 64 lower-case hex digits; anything else could smuggle a path. */
export class ArtifactDigestInvalid extends Error {
  override readonly name = 'ArtifactDigestInvalid';
}

/**
 * - `unreachable`: nothing answers, or what answers is not the store.
 * - `denied`: it answers, and does not let these credentials do it.
 * - `bucketMissing`: it answers, and has no such bucket.
 * - `throttled`: it asked for patience longer than patience lasted.
 * - `closed`: this process has closed the store.
 */
export type UnavailableReason = 'unreachable' | 'denied' | 'bucketMissing' | 'throttled' | 'closed';

/** The store could not be asked; the message says what to do and holds no credentials. Trying later is harmless. */
export class ArtifactStoreUnavailable extends Error {
  override readonly name = 'ArtifactStoreUnavailable';
  readonly reason: UnavailableReason;
  constructor(reason: UnavailableReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
