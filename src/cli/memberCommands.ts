import type { CommandDefinition } from './register.ts';

const url = ['--url <url>', 'the Opslog to talk to (else OPSLOG_URL, else the one signed in to last)'] as const;
const workspace = ['--workspace <id or slug>', 'workspace (default: the only one)'] as const;

export const joinCommand: CommandDefinition = {
  usage: 'join',
  summary: 'Accept an invitation to a workspace',
  about: `Accepts an invitation to a workspace. Its token is asked for, or read from standard input with --token -.

Whoever is signed in as the address that was invited joins at once. Whoever has no account yet chooses a name and a password,
and is signed in afterwards. Whoever has one signs in first.`,
  options: [
    url,
    ['--token <token>', 'token of the invitation; - reads it from standard input, with the password in a second line'],
    ['--name <name>', 'your name, for a new account (asked for when not given)'],
  ],
  examples: [
    ['opslog join --url https://opslog.example.com', 'asks for everything'],
    ['opslog join --token - --name Ada < token-and-password.txt', 'asks nothing'],
  ],
  load: () => import('./developer/join.ts'),
};

export const memberCommands: readonly CommandDefinition[] = [
  {
    usage: 'list',
    summary: 'Members of a workspace',
    options: [workspace, url],
    examples: [['opslog members list', '']],
    load: () => import('./developer/membersList.ts'),
  },
  {
    usage: 'invite <email>',
    summary: 'Invite a person; prints the token to hand over',
    about: `Invites a person. What it prints is a token that is shown now and never again: hand it to the person, who runs
"opslog join". It can be used once, by nobody but the account of that address.`,
    arguments: { email: 'address of the person' },
    options: [
      ['--role <role>', 'OWNER, ADMIN, MEMBER or VIEWER (default: MEMBER)'],
      ['--department <id or slug>', 'limit the member to this department'],
      ['--days <number>', 'days until it runs out, 30 at most (default: 7)'],
      workspace,
      url,
    ],
    examples: [
      ['opslog members invite ada@example.com', 'needs the role ADMIN or OWNER'],
      ['opslog members invite bob@example.com --role VIEWER --department sales', ''],
    ],
    load: () => import('./developer/membersInvite.ts'),
  },
  {
    usage: 'invitations',
    summary: 'Invitations that can still be accepted',
    options: [workspace, url],
    examples: [['opslog members invitations', 'needs the role ADMIN or OWNER']],
    load: async () => (await import('./developer/invitations.ts')).list,
  },
  {
    usage: 'uninvite <email>',
    summary: 'Revoke the open invitations to an address',
    about:
      'Revokes the open invitations to an address, for example one that was mistyped. Their tokens are worth nothing then.',
    arguments: { email: 'address, or the id of one invitation' },
    options: [workspace, url],
    examples: [['opslog members uninvite ada@example.com', '']],
    load: async () => (await import('./developer/invitations.ts')).revoke,
  },
  {
    usage: 'remove <email>',
    summary: 'Remove a member, with the API tokens that he gave out',
    arguments: { email: 'address or id of the member' },
    options: [workspace, url],
    examples: [['opslog members remove ada@example.com', '']],
    load: () => import('./developer/membersRemove.ts'),
  },
];
