import type { Message } from '../kernel.ts';
import type { CredentialDetails } from './details.ts';

/** What AES-256-GCM made, each part in base64. Noise without its data key; masked wherever it leaves the log. */
export type SealedValue = { readonly iv: string; readonly tag: string; readonly data: string };

/** A value, sealed under a data key of its own, and what may be known of it. */
export type CredentialValue = {
  readonly details: CredentialDetails;
  readonly keyId: string;
  readonly encryptedData: SealedValue;
  /** Keyed digest of the value, 32 hex digits: recognises it, tells nothing about it. */
  readonly digest: string;
};

export type DeletionReason = 'requested' | 'department_removed' | 'workspace_deleted';

/** A credential for something outside. Its value is only ever here sealed, and gone for good once its data key is destroyed. */
export type CredentialEvent =
  | Message<
      'CredentialCreated',
      CredentialValue & {
        workspaceId: string;
        /** `''`: of the whole workspace. */
        departmentId: string;
        name: string;
        description: string;
      }
    >
  /** `version` counts the values from 1; the key of the value before is destroyed next. */
  | Message<'CredentialReplaced', CredentialValue & { version: number; replacedKeyId: string }>
  /** `tenure` counts the names of this credential from 1, spellings of one name once; it tells one hold from another. */
  | Message<'CredentialRenamed', { name: string; previousName: string; tenure: number }>
  | Message<'CredentialDescribed', { description: string }>
  /** From now on nobody may read it; its keys are destroyed next. */
  | Message<'CredentialDeleted', { name: string; reason: DeletionReason; keyIds: readonly string[] }>
  /** The keys are destroyed: no copy of the log opens these values any more. */
  | Message<'CredentialShredded', { keyIds: readonly string[] }>
  /** A name was claimed for this tenure and given to another before it began: now it never will. */
  | Message<'CredentialClaimForfeited', { tenure: number }>;
