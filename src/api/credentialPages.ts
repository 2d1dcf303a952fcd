/** Pages of the problems with credentials, as those in problemPages.ts. */
export const credentialPages = {
  CredentialNotFound: [
    'The workspace has no such credential, or it belongs to a department that you may not enter.',
    'List the credentials. One that was deleted is gone for good: create it anew.',
  ],
  CredentialExists: [
    'A credential exists under this id with another name or value.',
    'Send the request again with a new Idempotency-Key.',
  ],
  CredentialKindFixed: [
    'A credential keeps its kind; `details.kind` names it. What uses it relies on that.',
    'Replace the value by one of the same kind, or create another credential.',
  ],
  SshKeyInvalid: [
    'The private key cannot be used: it is no private key, is too weak, or does not open with the passphrase. The answer says which.',
    'Give an Ed25519, ECDSA or RSA key (2048 bits or more) in OpenSSH or PEM format with its passphrase, or let one be generated.',
  ],
} as const;
