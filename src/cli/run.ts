import { inspect } from 'node:util';
import { CommanderError } from 'commander';
import { type Cli, createCli, type Streams } from './cli.ts';
import { type ExitCode, exitCodes } from './exitCodes.ts';
import { Failure } from './failure.ts';
import { messageOf } from './messageOf.ts';
import { plain } from './paint.ts';
import { createProgram } from './program.ts';

export type Process = Streams & {
  readonly argv: readonly string[];
  once(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  exit(code: number): never;
};

/** Runs one command line to its end and leaves the process with its exit code. */
export const run = async (process: Process): Promise<never> => {
  // A reader that had enough (`| head`) ends the command quietly.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? exitCodes.done : exitCodes.refused);
  });
  const stop = new AbortController();
  let code: ExitCode | 130 | 143 = exitCodes.done;
  // The first signal asks the command to end; a second one no longer waits for it.
  const onSignal = (signal: 'SIGINT' | 'SIGTERM', signalCode: 130 | 143): void => {
    process.once(signal, () => {
      stop.abort();
      process.once(signal, () => process.exit(signalCode));
    });
  };
  onSignal('SIGINT', 130);
  onSignal('SIGTERM', 143);
  const argv = process.argv.slice(2);
  const end = argv.indexOf('--');
  const json = (end < 0 ? argv : argv.slice(0, end)).includes('--json');
  const cli = createCli(process, { json, signal: stop.signal });
  try {
    const program = createProgram(cli);
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync([...process.argv]);
  } catch (error) {
    code = report(error, cli);
  }
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  process.exit(code);
};

const report = (error: unknown, cli: Cli): ExitCode | 130 => {
  if (error instanceof CommanderError) return ofCommander(error, cli);
  if (cli.signal.aborted || (error instanceof Failure && error.code === 'interrupted')) {
    cli.note('Interrupted.');
    return 130;
  }
  const failure = error instanceof Failure ? error : unexpected(error, cli);
  const { message, code, hint, exitCode, more, answered } = failure;
  cli.note(`${cli.paint.red('error')}: ${plain(message)}`);
  if (hint) cli.note(plain(hint));
  if (cli.json && !answered) cli.answer({ ok: false, code, message, ...(hint && { hint }), ...more }, '');
  return exitCode;
};

const ofCommander = (error: CommanderError, cli: Cli): ExitCode => {
  if (error.exitCode === 0) return exitCodes.done;
  if (cli.json) cli.answer({ ok: false, code: 'usage', message: error.message.replace(/^error: /, '') }, '');
  return exitCodes.usage;
};

const unexpected = (error: unknown, cli: Cli): Failure => {
  if (cli.env['OPSLOG_DEBUG'] && error instanceof Error) cli.note(error.stack ?? '');
  // What WebAssembly throws is no Error.
  const message = error instanceof Error ? messageOf(error) : inspect(error, { breakLength: Number.POSITIVE_INFINITY });
  return new Failure(message, { code: 'failed', hint: 'Set OPSLOG_DEBUG=1 to see where this came from.' });
};
