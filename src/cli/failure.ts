import { type ExitCode, exitCodes } from './exitCodes.ts';

export type FailureDetails = {
  /** Machine-readable name, for --json. */
  readonly code: string;
  /** What to do about it. */
  readonly hint?: string;
  readonly exitCode?: ExitCode;
  /** Further fields of the JSON answer. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** The answer on standard output has been given; only the message is left to say. */
  readonly answered?: boolean;
};

/** Ends a command with a message for people, a code for programs and the exit code; never a stack trace. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: string;
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;
  readonly more: Readonly<Record<string, unknown>>;
  readonly answered: boolean;

  constructor(
    message: string,
    { code, hint, exitCode = exitCodes.refused, more = {}, answered = false }: FailureDetails,
  ) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.exitCode = exitCode;
    this.more = more;
    this.answered = answered;
  }
}

export const usage = (message: string, hint?: string): Failure =>
  new Failure(message, { code: 'usage', exitCode: exitCodes.usage, ...(hint && { hint }) });
