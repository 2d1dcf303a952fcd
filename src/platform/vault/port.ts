/** What AES-256-GCM made, each part in base64: a 96-bit iv, a 128-bit tag, and as many bytes of data as the plaintext has. */
export type Sealed = { readonly iv: string; readonly tag: string; readonly data: string };

/** Fit for an event: without the data key that `keyId` names it is noise. */
export type SealedSecret = { readonly keyId: string; readonly encryptedData: Sealed };

export type Opened =
  | { readonly ok: true; readonly plaintext: string }
  /** `missing`: no such data key was ever here, or it was lost; `not_authentic`: changed, or sealed for something else. */
  | { readonly ok: false; readonly code: 'destroyed' | 'missing' | 'not_authentic' };

/** A list is bound part by part, and begins with the workspace id; one text is bound as its UTF-8, byte by byte. */
export type Binding = readonly string[] | string;

/** Seals secrets, each under a data key of its own. A secret is gone when its data key is. */
export type Vault = {
  /**
   * A new data key for every call, durable before this returns. `aad` is bound: opening under another one fails.
   * Throws NotText for a string with half a surrogate pair, which no encoding would give back.
   */
  seal(plaintext: string, aad: Binding): Promise<SealedSecret>;
  open(sealed: SealedSecret, aad: Binding): Promise<Opened>;
  /** After this nothing opens what this key sealed. Idempotent. */
  destroy(keyId: string): Promise<void>;
  /**
   * 32 hex digits to recognise a secret by without showing it. Only this installation can compute it; equal secrets with
   * different parts (the first is the workspace id) have different digests.
   */
  digest(plaintext: string, parts: readonly string[]): string;
};
