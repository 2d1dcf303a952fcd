import type { Message } from '../kernel.ts';

/** What AES-256-GCM made, each part in base64. Noise without its data key; masked wherever it leaves the log. */
export type SealedValue = { readonly iv: string; readonly tag: string; readonly data: string };

/** Short texts by name: what was asked, answered and found outside, and the ids that came of it. Never a secret. */
export type DomainFacts = Readonly<Record<string, string>>;

/** What anybody may know of a certificate. Times are milliseconds since the epoch. */
export type CertificateFacts = {
  /** DNS names that it covers, wildcards among them. */
  readonly names: readonly string[];
  readonly issuer: string;
  readonly notBefore: number;
  readonly notAfter: number;
  /** SHA-256 over the certificate, hex pairs with colons. */
  readonly fingerprint: string;
};

/** Certificate chain and private key are only ever in `encryptedData`, sealed under the data key that `keyId` names. */
export type SealedCertificate = CertificateFacts & {
  readonly keyId: string;
  readonly encryptedData: SealedValue;
  /** Keyed digest of chain and key: recognises them, tells nothing about them. */
  readonly digest: string;
};

/**
 * A host name of the whole installation. One who claims it holds it from the request until the attachment is refused or
 * the detachment is confirmed; `claim` counts those who did, from 1, so that late news of an earlier claim is recognised.
 */
export type EdgeDomainEvent =
  | Message<
      'DomainAttachmentRequested',
      {
        claim: number;
        /** ASCII, lower case, without a dot at the end. */
        hostname: string;
        companyId: string;
        departmentId: string;
        workerId: string;
        scriptName: string;
        provider: string;
        scope: string;
        /** May take over what is there and not ours. */
        adopt: boolean;
      }
    >
  | Message<'DomainAttached', { claim: number; facts: DomainFacts }>
  /** The name is free again. `owner` is whoever has it outside, as the provider names them; '' when nobody was named. */
  | Message<'DomainAttachmentRefused', { claim: number; code: string; reason: string; owner: string }>
  /** Nobody attaches any more, as a detachment was asked for: what the attempts have left is for that to clean up. */
  | Message<'DomainAttachmentAbandoned', { claim: number; facts: DomainFacts }>
  | Message<'DomainVerified', { claim: number; verificationId: string; detail: string; facts: DomainFacts }>
  | Message<'DomainVerificationFailed', { claim: number; verificationId: string; reason: string; facts: DomainFacts }>
  | Message<'DomainDetachmentRequested', { claim: number; reason: string }>
  | Message<'DomainDetached', { claim: number; facts: DomainFacts }>
  /** `replacedKeyId` is the data key of the certificate before, to be destroyed; '' for the first one. */
  | Message<'DomainCertificateStored', SealedCertificate & { claim: number; replacedKeyId: string }>
  | Message<'DomainCertificateRemoved', { claim: number; keyId: string; fingerprint: string }>;
