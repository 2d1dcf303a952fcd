import { type Argument, Command } from 'commander';
import { version } from '../version.ts';
import type { Cli } from './cli.ts';
import { addDeveloperCommands } from './developerCommands.ts';
import { exitCodesHelp } from './exitCodes.ts';
import { addOperatorCommands } from './operatorCommands.ts';

/** In a list of commands their options are noise. */
const termOf = (command: Command): string =>
  [command.name(), ...command.registeredArguments.map((each) => argumentTerm(each))].join(' ');

const argumentTerm = (argument: Argument): string => {
  const term = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${term}>` : `[${term}]`;
};

const introduction = `Opslog runs a company's edge workers, and keeps a log that everything follows from.`;

const guide = `
First steps of a developer:
  $ opslog login --url https://opslog.example.com
  $ opslog init my-worker        a starter worker in a new folder
  $ opslog deploy my-worker      builds it, puts it on the air, prints its URL

First steps of an operator:
  $ opslog demo                  everything embedded, on this machine
  $ opslog serve                 the same for real use, data in ./data
  $ opslog doctor                what is configured and what answers

Every command takes --json (its answer as JSON on standard output) and --help.
Colour is off with NO_COLOR or when the output is not a terminal.

${exitCodesHelp}`;

/** The whole command line. What a command needs is loaded when it runs, so that help comes at once. */
export const createProgram = (cli: Cli): Command => {
  const program = new Command('opslog')
    .description(introduction)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .option('--json', 'answer with JSON on standard output')
    .addHelpText('after', guide)
    .showSuggestionAfterError()
    .showHelpAfterError('Run with --help to see how it is used.')
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false, subcommandTerm: termOf })
    .configureOutput({ writeErr: (text) => cli.note(text.trimEnd()), writeOut: (text) => cli.out(text) })
    .exitOverride();
  addDeveloperCommands(program, cli);
  addOperatorCommands(program, cli);
  return program;
};
