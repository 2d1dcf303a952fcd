/** What anybody who may see the credential may know of it. Nothing in here is secret. */
export type CredentialDetails =
  | {
      readonly kind: 'sshKey';
      readonly userName: string;
      /** As in `ssh-ed25519`. */
      readonly keyType: string;
      /** One line of `authorized_keys`, without a comment. */
      readonly publicKey: string;
      /** `SHA256:` and base64 without padding, as OpenSSH shows it. */
      readonly fingerprint: string;
      /** Made here: nobody outside has ever seen the private key. */
      readonly isGenerated: boolean;
    }
  | { readonly kind: 'sshPassword'; readonly userName: string }
  | { readonly kind: 'apiToken'; readonly provider: string }
  | { readonly kind: 'registryLogin'; readonly registry: string; readonly userName: string }
  /** Names only, sorted. */
  | { readonly kind: 'generic'; readonly fieldNames: readonly string[] };

export type CredentialKind = CredentialDetails['kind'];

export const credentialKinds = ['sshKey', 'sshPassword', 'apiToken', 'registryLogin', 'generic'] as const;
