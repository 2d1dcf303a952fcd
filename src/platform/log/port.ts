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

/** An error as the log has it. What drivers add to theirs stays away: statements with their values, and rows. */
export const describedError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  const { name, stack = '', cause } = error;
  const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line));
  const code = textOf(error, 'code');
  return {
    ...{ type: name, message: errorMessage(error), ...(code !== '' && { code }), stack: frames.join('\n') },
    ...(cause instanceof Error && { cause: describedError(cause) }),
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
