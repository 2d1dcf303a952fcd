import { createPaint, type Paint, wantsColor } from './paint.ts';

/** What a command may touch of the outside: its answer, its notes, the environment and the wish to stop. */
export type Cli = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly json: boolean;
  readonly stdin: NodeJS.ReadStream;
  /** True when a person sits at both ends: questions may be asked. */
  readonly interactive: boolean;
  /** Standard error is a terminal: a line may be rewritten in place. */
  readonly liveNotes: boolean;
  readonly paint: Paint;
  /** Aborts on the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** The answer: an object as one line of JSON, or its text, on standard output. */
  answer(value: object, text: string): void;
  /** Raw text on standard output. */
  out(text: string): void;
  /** A line for people, on standard error. */
  note(line: string): void;
  /** A line on standard error that the next one replaces; silent when nobody watches. */
  status(line: string): void;
};

export type Streams = {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
};

export const createCli = (streams: Streams, options: { readonly json: boolean; readonly signal: AbortSignal }): Cli => {
  const { stdin, stdout, stderr, env } = streams;
  const { json, signal } = options;
  const liveNotes = stderr.isTTY === true && env['TERM'] !== 'dumb';
  let pending = false;
  const clear = (): void => {
    if (pending) stderr.write('\r\u001b[K');
    pending = false;
  };
  return {
    env,
    cwd: process.cwd(),
    json,
    stdin,
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    liveNotes,
    paint: createPaint(wantsColor(env, json ? stderr.isTTY === true : stdout.isTTY === true && stderr.isTTY === true)),
    signal,
    answer: (value, text) => {
      clear();
      stdout.write(`${json ? toJson(value) : text}\n`);
    },
    out: (text) => {
      clear();
      stdout.write(text);
    },
    note: (line) => {
      clear();
      stderr.write(`${line}\n`);
    },
    status: (line) => {
      if (!liveNotes) return;
      clear();
      stderr.write(line.slice(0, Math.max(20, (stderr.columns || 80) - 1)));
      pending = true;
    },
  };
};

/** Positions in the log are beyond what a JSON number holds exactly: they travel as decimal text. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
