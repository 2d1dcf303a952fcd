import type { z } from 'zod';
import type { Cli } from './cli.ts';
import { usage } from './failure.ts';

/** What the command line was read into: options and positional arguments by name. */
export type CommandInput = Readonly<Record<string, unknown>>;
export type CommandRun = (input: CommandInput, cli: Cli) => Promise<void>;

/** A command: its arguments are checked against the schema before it runs. */
export const command =
  <Schema extends z.ZodType>(schema: Schema, work: (args: z.output<Schema>, cli: Cli) => Promise<void>): CommandRun =>
  async (input, cli) => {
    const parsed = schema.safeParse(input);
    if (!parsed.success) {
      throw usage(parsed.error.issues.map(({ path, message }) => `${optionName(path)}: ${message}`).join('; '));
    }
    await work(parsed.data, cli);
  };

const optionName = (path: readonly PropertyKey[]): string =>
  `--${path.map((part) => String(part).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)).join('.')}`;
