import type { CommandDefinition } from './register.ts';

const url = ['--url <url>', 'the Opslog to talk to (else OPSLOG_URL, else the one signed in to last)'] as const;

const load = (name: 'list' | 'revoke') => async () => (await import('./developer/sessions.ts'))[name];

export const passwordCommand: CommandDefinition = {
  usage: 'password',
  summary: 'Change your password',
  about: `Changes the password of the account that is signed in. The current one and the new one are asked for without showing them;
with --stdin they are two lines of standard input.

A new password has 12 characters or more and is none of the most common ones. Every other session of the account ends; this
one goes on, and API tokens stay. Whoever got a password from the operator, or at the first start of an installation, changes it
with this before anything else.`,
  options: [url, ['--stdin', 'read the current password and the new one from standard input, a line each']],
  examples: [
    ['opslog password', 'asks for everything'],
    ['opslog password --stdin < both.txt', 'asks nothing'],
  ],
  load: () => import('./developer/password.ts'),
};

export const sessionCommands: readonly CommandDefinition[] = [
  {
    usage: 'list',
    summary: 'Where you are signed in',
    about: `Shows your sessions that can still be used, oldest first: when each was last seen, to the hour, when it ends, and what
the client called itself.`,
    options: [url],
    examples: [['opslog sessions list', '']],
    load: load('list'),
  },
  {
    usage: 'revoke [session]',
    summary: 'End one of your sessions, or all others',
    about: `Ends one session of yours, or with --others every one but this. The token of it is worth nothing from then on, in every
process within a second. API tokens stay: they belong to the workspace.`,
    arguments: { session: 'id of the session, as "opslog sessions list" shows it' },
    options: [['--others', 'every session of yours but this one'], url],
    examples: [
      ['opslog sessions revoke 5f0c0f5e-4d4e-4a0e-9f57-0d2f6f3c1c11', 'that one'],
      ['opslog sessions revoke --others', 'after a laptop was lost'],
    ],
    load: load('revoke'),
  },
];
