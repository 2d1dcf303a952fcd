import { z } from 'zod';
import type { Refused, SourceFile } from './port.ts';

/** What the bundling process is asked. */
export type BundleJob = {
  readonly files: readonly SourceFile[];
  readonly entryPoint: string;
  readonly compatibilityFlags: readonly string[];
};

export type Bundled = {
  readonly code: Uint8Array;
  /** Every file of the submission that went into the bundle, sorted. */
  readonly inputs: readonly string[];
  readonly exports: readonly string[];
  readonly warnings: readonly string[];
  /** Version of esbuild. */
  readonly esbuild: string;
};

export const bundleJob: z.ZodType<BundleJob> = z.object({
  files: z.array(z.object({ path: z.string(), bytes: z.instanceof(Uint8Array) })),
  entryPoint: z.string(),
  compatibilityFlags: z.array(z.string()),
});

const bundled: z.ZodType<Bundled> = z.object({
  code: z.instanceof(Uint8Array),
  inputs: z.array(z.string()),
  exports: z.array(z.string()),
  warnings: z.array(z.string()),
  esbuild: z.string(),
});

const refused: z.ZodType<Refused> = z.object({
  rejected: z.enum(['ImportUnresolved', 'SourceSyntaxInvalid']),
  reason: z.string(),
  details: z.record(z.string(), z.union([z.string(), z.number()])),
});

/** What it answers; `crashed` carries the message of an error that is no fault of the submission. */
export type BundleAnswer = { readonly answer: Bundled | Refused } | { readonly crashed: string };
export const bundleAnswer: z.ZodType<BundleAnswer> = z.union([
  z.object({ answer: z.union([bundled, refused]) }),
  z.object({ crashed: z.string() }),
]);
