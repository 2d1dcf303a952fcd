import type { CommandDefinition } from './register.ts';

const data = ['--data <folder>', 'folder of this node (else OPSLOG_DATA_DIR, else ./data)'] as const;

export const userCommands: readonly CommandDefinition[] = [
  {
    usage: 'import <file>',
    summary: 'Import accounts with their password hashes',
    about: `Imports accounts from a file with a JSON object in each line: email, displayName, passwordHash.

The hash is argon2id or scrypt in PHC form. At the first sign-in of each person it is replaced by one of today. An account
that is here already is left as it is, so that a file can be imported again. Accounts are members of nothing: invite them.`,
    arguments: { file: 'JSON lines' },
    options: [data],
    examples: [['opslog users import users.jsonl', 'beside a running server, or without one']],
    load: () => import('./operator/usersImport.ts'),
  },
  {
    usage: 'reset-password <email>',
    summary: 'Give somebody who is locked out a new password',
    about: `Makes a new password for an account, shows it once and ends every session of it. API tokens stay.

The password is worth nothing after 24 hours, and lets the person do nothing but change it: "opslog login", then
"opslog password".`,
    arguments: { email: 'address of the account' },
    options: [data],
    examples: [['opslog users reset-password ada@example.com', '']],
    load: () => import('./operator/usersResetPassword.ts'),
  },
];
