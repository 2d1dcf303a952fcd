import type { WorkerSpec } from './port.ts';

/** Values by name: held only while they are handed over, never kept, logged or recorded. */
export type SecretValues =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly code: string; readonly detail: string };

/** Opens the secrets that a revision pins. Throws when nobody can tell now, so that it is tried again. */
export type SecretReader = (spec: WorkerSpec) => Promise<SecretValues>;
