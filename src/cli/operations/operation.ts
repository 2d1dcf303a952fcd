import type { z } from 'zod';
import type { Parts } from '../../parts.ts';

/**
 * Something an operator asks of a node. The same function runs inside a living server, which alone holds its stores,
 * and in a process of its own; arguments, progress and result are plain JSON, checked against these shapes.
 */
export type Operation<Args, Progress, Result> = {
  readonly name: string;
  readonly args: z.ZodType<Args>;
  readonly progress: z.ZodType<Progress>;
  readonly result: z.ZodType<Result>;
  /** Throws OperationRefused for an expected "no". A slow reader of the progress slows the operation down. */
  readonly run: (
    parts: Parts,
    args: Args,
    onProgress: (progress: Progress) => Promise<void> | void,
    signal: AbortSignal,
  ) => Promise<Result>;
};

/** The operation cannot be done as asked; the message says why, for people. */
export class OperationRefused extends Error {
  override readonly name = 'OperationRefused';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
