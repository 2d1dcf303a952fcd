/** The part of pino that Opslog uses: an object with ids and figures first, a sentence second. Never a secret. */
export type LogMethod = (fields: object, message: string) => void;

export type Log = {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
};

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
