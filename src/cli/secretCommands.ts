import type { CommandDefinition } from './register.ts';

const target = [
  ['--workspace <id or slug>', 'workspace (else from opslog.json)'],
  ['--department <id or slug>', 'department (else from opslog.json)'],
  ['--url <url>', 'the Opslog to talk to (else OPSLOG_URL, else the one signed in to last)'],
] as const;
const folder = { folder: 'folder of the worker, with its opslog.json (default: this one)' };

export const secretCommands: readonly CommandDefinition[] = [
  {
    usage: 'set <name> [folder]',
    summary: 'Store a secret of the worker, or a new version of it',
    about: `Stores a secret, or a new version of it.

The value is read from a file, from standard input, or asked for without showing it; never from an argument, which
everybody on the machine could see. A newline at its end is left out. The next revision that names the secret under
"secretNames" in opslog.json reads this version.`,
    arguments: { name: 'as the worker finds it in its environment, for example API_KEY', ...folder },
    options: [['--file <path>', 'read the value from this file; - is standard input'], ...target],
    examples: [
      ['opslog secrets set API_KEY', 'asks for the value'],
      [
        'opslog secrets set API_KEY < ../key.txt',
        'from standard input; a file in the folder of the worker would be deployed',
      ],
      ['opslog secrets set TLS_KEY --file key.pem', 'from a file'],
    ],
    load: () => import('./developer/secretsSet.ts'),
  },
  {
    usage: 'list [folder]',
    summary: 'Secrets of the worker: versions and digests, never values',
    arguments: folder,
    options: target,
    examples: [['opslog secrets list', '']],
    load: () => import('./developer/secretsList.ts'),
  },
  {
    usage: 'remove <name> [folder]',
    summary: 'Remove a secret for good, with all its versions',
    arguments: { name: 'name of the secret', ...folder },
    options: [['--force', 'even though the live revision reads it: it does not start again then'], ...target],
    examples: [['opslog secrets remove API_KEY', '']],
    load: () => import('./developer/secretsRemove.ts'),
  },
];
