import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { type CommandDefinition, register } from './register.ts';

const workspace = ['--workspace <id or slug>', 'workspace (else from opslog.json)'] as const;
const department = ['--department <id or slug>', 'department (else from opslog.json)'] as const;

const commands: readonly CommandDefinition[] = [
  {
    usage: 'init [folder]',
    summary: 'Write a starter worker',
    about: `Writes a starter worker in TypeScript that deploys as it is. Files that exist are never touched.`,
    arguments: { folder: 'where to write it (default: this folder)' },
    options: [workspace, department],
    examples: [
      ['opslog init hello', 'a starter worker in ./hello'],
      ['opslog init hello --department sales', 'for the department "sales"'],
    ],
    load: () => import('./developer/init.ts'),
  },
];

export const addDeveloperCommands = (program: Command, cli: Cli): void => {
  for (const definition of commands) register(program, cli, 'For developers:', definition);
};
