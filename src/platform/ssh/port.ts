/** What anybody may know of a key pair. */
export type SshKeyFacts = {
  /** As in `ssh-ed25519`. */
  readonly keyType: string;
  /** One line of `authorized_keys`, without a comment. */
  readonly publicKey: string;
  /** `SHA256:` and base64 without padding, as OpenSSH shows it. */
  readonly fingerprint: string;
};

export type ReadSshKey =
  | { readonly ok: true; readonly facts: SshKeyFacts }
  /** No reason repeats anything of the key or the passphrase. */
  | { readonly ok: false; readonly field: 'privateKey' | 'passphrase'; readonly reason: string };

export type SshKeys = {
  /** Whether this opens, with this passphrase, and what may be shown of it. Never throws for a bad key. */
  read(key: { readonly privateKey: string; readonly passphrase?: string | undefined }): Promise<ReadSshKey>;
  /** A new Ed25519 pair; the private key in OpenSSH's format, without a passphrase. */
  generate(): { readonly privateKey: string; readonly facts: SshKeyFacts };
};
