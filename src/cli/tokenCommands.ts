import type { CommandDefinition } from './register.ts';

const where = [
  ['--workspace <id or slug>', 'workspace (default: the only one that you are in)'],
  ['--url <url>', 'the Opslog to talk to (else OPSLOG_URL, else the one signed in to last)'],
] as const;

const load = (name: 'list' | 'add' | 'revoke') => async () => (await import('./developer/tokens.ts'))[name];

export const tokenCommands: readonly CommandDefinition[] = [
  {
    usage: 'list',
    summary: 'API tokens of the workspace: what they may, when they end and were used',
    options: where,
    examples: [['opslog tokens list', 'needs the role ADMIN or OWNER']],
    load: load('list'),
  },
  {
    usage: 'add <name>',
    summary: 'Make an API token for a service or a pipeline; prints it, once',
    about: `Makes an API token for a service or a pipeline. It alone is on standard output, is shown now and never again, and does no
more than whoever made it still may.

A pipeline gives it to opslog as OPSLOG_TOKEN, with OPSLOG_URL; any other program as "Authorization: Bearer …".`,
    arguments: { name: 'what it is for, in your words' },
    options: [
      ['--role <role>', 'OWNER, ADMIN, MEMBER or VIEWER (default: MEMBER)'],
      ['--department <id or slug>', 'limit it to this department'],
      ['--days <number>', 'days until it ends, 3650 at most (default: 90)'],
      ...where,
    ],
    examples: [
      ['opslog tokens add pipeline --department sales', 'deploys for Sales'],
      ['opslog tokens add dashboard --role VIEWER --days 365', 'reads for a year'],
    ],
    load: load('add'),
  },
  {
    usage: 'revoke <token>',
    summary: 'End an API token',
    arguments: { token: 'id of the token, as "opslog tokens list" shows it' },
    options: where,
    examples: [['opslog tokens revoke 5f0c0f5e-4d4e-4a0e-9f57-0d2f6f3c1c11', '']],
    load: load('revoke'),
  },
];
