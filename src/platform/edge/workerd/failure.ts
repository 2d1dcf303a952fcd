import { clip } from '../../../domain/kernel.ts';
import type { SecretValues } from '../secretReader.ts';

/** Why a process did not come up, in a form that may be shown and stored. */
export type StartFailure = { readonly code: StartFailureCode | SecretFailureCode; readonly detail: string };

/** Why a pinned secret could not be had, as its reader says. */
type SecretFailureCode = Extract<SecretValues, { ok: false }>['code'];

export type StartFailureCode =
  | 'CompatibilityDateUnsupported'
  | 'CompatibilityFlagUnsupported'
  | 'WorkerStartFailed'
  | 'WorkerStartTimedOut'
  | 'WorkerHandlerMissing';

const detailLimit = 2_000;
/** The runtime's own follow-up complaints and the names of its source files tell a department nothing. */
const noise = /^(Socket "|Received a FetchEvent)/;
const prefixes = /^(service tenant: |Uncaught exception: \S+: failed: )/;

/** Makes the reason out of what the runtime complained about. */
export const describeFailure = (exit: string, complaints: readonly string[]): StartFailure => {
  const lines = complaints.filter((line) => !noise.test(line)).map((line) => line.replace(prefixes, ''));
  const text = clip(lines.join('\n'), detailLimit);
  if (/compatibility date/i.test(text)) return { code: 'CompatibilityDateUnsupported', detail: text };
  if (/compatibility flag/i.test(text)) return { code: 'CompatibilityFlagUnsupported', detail: text };
  if (/'\.\/worker\.js' does not provide an export named 'default'/.test(text)) {
    return { code: 'WorkerHandlerMissing', detail: 'The bundle has no default export' };
  }
  return { code: 'WorkerStartFailed', detail: text === '' ? `The process ended during start: ${exit}` : text };
};
