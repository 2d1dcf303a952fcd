/** What the program answers to the shell; the help of every command lists them. */
export const exitCodes = {
  done: 0,
  refused: 1,
  usage: 2,
  unreachable: 3,
  unverified: 4,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodesHelp = `Exit codes:
  0  done
  1  refused or failed; the message says why
  2  wrong usage
  3  cannot reach the server, database or event store
  4  verification found a difference`;
