import { Command } from 'commander';
import type { Cli } from './cli.ts';
import type { CommandRun } from './command.ts';
import { exitCodesHelp } from './exitCodes.ts';

export type CommandDefinition = {
  /** Name and positional arguments, as commander reads them. */
  readonly usage: string;
  readonly summary: string;
  readonly about?: string;
  readonly options?: readonly (readonly [flags: string, about: string])[];
  readonly arguments?: Readonly<Record<string, string>>;
  /** Command lines with what they do. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  readonly load: () => Promise<{ readonly run: CommandRun }>;
};

/** Adds one command whose module is imported only when it runs. */
export const register = (parent: Command, cli: Cli, group: string, definition: CommandDefinition): Command => {
  const command = parent
    .command(definition.usage)
    .summary(definition.summary)
    .description(flowing(definition.about ?? `${definition.summary}.`))
    .helpGroup(group);
  for (const [flags, about] of definition.options ?? []) command.option(flags, about);
  for (const argument of command.registeredArguments) {
    argument.description = definition.arguments?.[argument.name()] ?? '';
  }
  return command
    .option('--json', 'answer with JSON on standard output')
    .addHelpText('after', `\nExamples:\n${examplesText(definition.examples)}\n\n${exitCodesHelp}`)
    .action(async (...received: unknown[]) => {
      const { run } = await definition.load();
      await run(
        inputOf(received),
        cli,
        command.registeredArguments.map((argument) => argument.name()),
      );
    });
};

/** Adds a command that only holds others. */
export const addGroup = (
  program: Command,
  cli: Cli,
  group: string,
  { name, about, commands }: { name: string; about: string; commands: readonly CommandDefinition[] },
): void => {
  const parent = program.command(name).summary(about).description(`${about}.`).helpGroup(group);
  for (const definition of commands) register(parent, cli, 'Commands:', definition);
};

/** Options by name, and positional arguments by theirs. */
const inputOf = (received: readonly unknown[]): Record<string, unknown> => {
  const command = received.at(-1);
  if (!(command instanceof Command)) return {};
  const positional = command.registeredArguments.map((argument, index) => [argument.name(), received[index]]);
  return { ...Object.fromEntries(positional), ...command.optsWithGlobals() };
};

/** Lines of a paragraph become one: the help wraps them to the terminal. */
const flowing = (text: string): string => text.replaceAll(/(?<!\n)\n(?!\n)/g, ' ');

const examplesText = (examples: CommandDefinition['examples']): string => {
  const width = Math.max(...examples.map(([line]) => line.length));
  return examples.map(([line, does]) => `  $ ${line.padEnd(width)}   ${does}`.trimEnd()).join('\n');
};
