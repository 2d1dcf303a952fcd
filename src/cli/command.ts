import type { z } from 'zod';
import type { Cli } from './cli.ts';
import { usage } from './failure.ts';

/** What the command line was read into: options and positional arguments by name. */
export type CommandInput = Readonly<Record<string, unknown>>;
/** `positional` are the names of the arguments that are no options. */
export type CommandRun = (input: CommandInput, cli: Cli, positional?: readonly string[]) => Promise<void>;

/** A command: its arguments are checked against the schema before it runs. */
export const command =
  <Schema extends z.ZodType>(schema: Schema, work: (args: z.output<Schema>, cli: Cli) => Promise<void>): CommandRun =>
  async (input, cli, positional = []) => {
    const parsed = schema.safeParse(input, { error: inWords });
    if (!parsed.success) {
      const shownAs = ([first, ...rest]: readonly PropertyKey[]): string =>
        rest.length === 0 && positional.includes(String(first))
          ? `<${String(first)}>`
          : optionName([first ?? '', ...rest]);
      throw usage(parsed.error.issues.map(({ path, message }) => `${shownAs(path)}: ${message}`).join('; '));
    }
    await work(parsed.data, cli);
  };

/** What people can act on; the library's own words are about types. A message of the schema itself comes first. */
const inWords = (issue: z.core.$ZodRawIssue): string | undefined => {
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined) return 'must be given';
  return issue.expected === 'number' || issue.expected === 'int' ? 'must be a whole number' : undefined;
};

const optionName = (path: readonly PropertyKey[]): string =>
  `--${path.map((part) => String(part).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)).join('.')}`;
