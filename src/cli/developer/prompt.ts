import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Cli } from '../cli.ts';
import { Failure, usage } from '../failure.ts';

const swallow = () => new Writable({ write: (_chunk, _encoding, done) => done() });

export type AskOptions = {
  /** What gives the answer without a terminal. */
  readonly option: string;
  readonly secret?: boolean;
};

/** Asks on the terminal; what is typed for a secret is not shown. Refuses when nobody is there to answer. */
export const ask = async (cli: Cli, question: string, options: AskOptions): Promise<string> => {
  if (!cli.interactive)
    throw usage(`${question} is missing.`, `There is no terminal to ask on: give it with ${options.option}.`);
  const output = options.secret ? swallow() : process.stderr;
  // The terminal stops to echo here: nothing may be asked before.
  const lines = createInterface({ input: cli.stdin, output, terminal: true });
  process.stderr.write(`${question}: `);
  try {
    return await new Promise<string>((resolve, reject) => {
      const stopped = () => reject(new Failure('Interrupted.', { code: 'interrupted' }));
      lines.once('line', resolve);
      lines.once('SIGINT', stopped);
      lines.once('close', stopped);
      cli.signal.addEventListener('abort', stopped, { once: true });
    });
  } finally {
    lines.close();
    if (options.secret) process.stderr.write('\n');
  }
};

/** A new password, asked for twice. `option` is what gives it without a terminal. */
export const chooseSecret = async (cli: Cli, option: string): Promise<string> => {
  const password = await ask(cli, 'A new password, 12 characters or more', { secret: true, option });
  if ((await ask(cli, 'The same again', { secret: true, option })) === password) return password;
  throw new Failure('The two passwords differ.', { code: 'passwords_differ' });
};

const longest = 64 * 1024;

/** Everything on standard input without the newline at its end. */
export const readSecret = async (cli: Cli): Promise<string> => {
  let text = '';
  for await (const chunk of cli.stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > longest) throw usage('Standard input is too long for a password or token.');
  }
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '') throw usage('Standard input was empty.');
  return secret;
};
