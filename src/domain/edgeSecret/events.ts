import type { Message } from '../kernel.ts';

/** What AES-256-GCM made, each part in base64. Noise without its data key; masked wherever it leaves the log. */
export type SealedValue = { readonly iv: string; readonly tag: string; readonly data: string };

/** A secret of a department's worker. A value is only ever here sealed, and gone for good once its data key is destroyed. */
export type EdgeSecretEvent =
  | Message<
      'EdgeSecretStored',
      {
        companyId: string;
        departmentId: string;
        name: string;
        /** Counts the values of this secret from 1, also over a removal: a version never means two values. */
        version: number;
        keyId: string;
        encryptedData: SealedValue;
        /** Keyed digest of the value, 32 hex digits: recognises it, tells nothing about it. */
        digest: string;
      }
    >
  /** From now on nobody may read any version of before; the keys are destroyed next. */
  | Message<'EdgeSecretRemoved', { name: string; version: number; keyIds: readonly string[] }>
  /** The keys are destroyed: no copy of the log opens these values any more. */
  | Message<'EdgeSecretShredded', { keyIds: readonly string[] }>;
