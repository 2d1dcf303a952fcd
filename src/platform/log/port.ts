/** The part of pino that Opslog uses: an object with ids and figures first, a sentence second. Never a secret. */
export type LogMethod = (fields: object, message: string) => void;

export type Log = {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
};

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * What an error says, fit for a log, a table or an event. Databases quote the values that they refuse, and parsers the text:
 * of such messages the code stays, and which constraint or column it was.
 */
export const errorMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof SyntaxError) return quotes.test(error.message) ? 'SyntaxError' : error.message;
  if (!isDatabaseError(error)) return error.message;
  const code = textOf(error, 'code');
  if (!quotes.test(error.message)) return `${error.message} (${code})`;
  const places = ['table', 'column', 'constraint'].map((name) => [name, textOf(error, name)] as const);
  const [, kind = '', name = ''] = mysqlPlace.exec(error.message) ?? [];
  const named = [...places, [kind, name] as const].filter(([, value]) => value !== '');
  return [code, ...named.map(([what, value]) => `${what} ${value}`)].join(', ');
};

const mostCauses = 5;

/** An error as the log has it. What drivers add to theirs stays away: statements with their values, and rows. */
export const describedError = (error: unknown): unknown => describedWith(error, mostCauses);

const describedWith = (error: unknown, causes: number): unknown => {
  if (!(error instanceof Error)) return error;
  const { name, message, stack = '', cause } = error;
  // The message stands before the frames, and may itself have lines that look like some.
  const start = stack.indexOf(message);
  const below = start === -1 ? '' : stack.slice(start + message.length);
  const frames = below.split('\n').filter((line) => /^ {4}at /.test(line));
  const code = textOf(error, 'code');
  return {
    ...{ type: name, message: errorMessage(error), ...(code !== '' && { code }), stack: frames.join('\n') },
    ...(cause instanceof Error && causes > 0 && { cause: describedWith(cause, causes - 1) }),
  };
};

const quotes = /["'`“”‘’]/;
/** MySQL and MariaDB name it at the end of the sentence, after the value. */
const mysqlPlace = / (key|column) '([\w.$-]+)'(?: at row \d+)?$/;

const isDatabaseError = (error: Error): boolean => 'severity' in error || 'sqlState' in error || 'sqlMessage' in error;

const textOf = (error: Error, name: string): string => {
  const value: unknown = Object.getOwnPropertyDescriptor(error, name)?.value;
  return typeof value === 'string' ? value : '';
};
