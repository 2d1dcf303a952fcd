/** Bytes under their SHA-256, lower-case hex. What is stored is never changed, only removed. */
export type ArtifactStore = {
  /** Durable when it resolves, and perhaps when it fails. Storing again marks the artifact as touched now. */
  put(bytes: Uint8Array): Promise<{ readonly digest: string; readonly created: boolean }>;
  /** Checks the digest on every read; throws ArtifactCorrupt when the bytes are not what the name says. */
  get(digest: string): Promise<Uint8Array | undefined>;
  has(digest: string): Promise<boolean>;
  /** Answers false when it was not there, or was touched after `unlessTouchedAfter` (milliseconds since the epoch). */
  remove(digest: string, options?: { readonly unlessTouchedAfter?: number }): Promise<boolean>;
  list(): AsyncIterable<{ readonly digest: string; readonly bytes: number; readonly touchedAt: number }>;
};
