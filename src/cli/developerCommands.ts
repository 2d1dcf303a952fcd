import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { credentialCommands } from './credentialCommands.ts';
import { cancelCommand, deploymentCommands } from './deploymentCommands.ts';
import { domainCommands } from './domainCommands.ts';
import { jobCommands } from './jobCommands.ts';
import { joinCommand, memberCommands } from './memberCommands.ts';
import { addGroup, type CommandDefinition, register } from './register.ts';
import { resourceCommands } from './resourceCommands.ts';
import { secretCommands } from './secretCommands.ts';
import { passwordCommand, sessionCommands } from './sessionCommands.ts';
import { tokenCommands } from './tokenCommands.ts';
import { webhookCommands } from './webhookCommands.ts';

const group = 'For developers:';
const url = ['--url <url>', 'the Opslog to talk to (else OPSLOG_URL, else the one signed in to last)'] as const;
const workspace = ['--workspace <id or slug>', 'workspace (else from opslog.json)'] as const;
const department = ['--department <id or slug>', 'department (else from opslog.json)'] as const;
const target = [workspace, department, url];
const noWait = ['--no-wait', 'return as soon as the ticket is admitted'] as const;
const folder = { folder: 'folder of the worker, with its opslog.json (default: this one)' };

const commands: readonly CommandDefinition[] = [
  {
    usage: 'login',
    summary: 'Sign in to an Opslog',
    about: `Signs in to an Opslog and remembers it.

The password is asked for without showing it. What is kept is a token, in a file that only you can read
(~/.config/opslog/profile.json, or under XDG_CONFIG_HOME). In a pipeline, set OPSLOG_URL and OPSLOG_TOKEN
instead of signing in.`,
    options: [
      url,
      ['--email <address>', 'who signs in (asked for when not given)'],
      ['--password-stdin', 'read the password from standard input'],
      ['--token <token>', 'use this API token instead of a password; - reads it from standard input'],
    ],
    examples: [
      ['opslog login --url https://opslog.example.com', 'asks for address and password'],
      ['opslog login --email me@example.com --password-stdin < secret.txt', 'asks nothing'],
      ['opslog login --token - < token.txt', 'with an API token'],
    ],
    load: () => import('./developer/login.ts'),
  },
  {
    usage: 'logout',
    summary: 'End the session and forget its token',
    options: [url],
    examples: [['opslog logout', '']],
    load: () => import('./developer/logout.ts'),
  },
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
  {
    usage: 'deploy [folder]',
    summary: 'Submit a worker, deploy it and follow the deployment',
    about: `Packs the folder, submits it as a new revision, deploys that and shows each step as it happens.

Left out of the package: what .opslogignore (or else .gitignore) names, version control, folders of tools, files that
usually hold secrets (.env, *.pem …) and node_modules, of which only the packages come along that package.json names
under "dependencies". The URL of the worker is all that goes to standard output.`,
    arguments: folder,
    options: [['--supersede', 'in the place of a deployment that waits, which is cancelled'], ...target, noWait],
    examples: [
      ['opslog deploy', 'the worker in this folder'],
      ['opslog deploy hello --no-wait --json', 'prints the ticket and returns'],
    ],
    load: () => import('./developer/deploy.ts'),
  },
  {
    usage: 'rollback [folder]',
    summary: 'Put an earlier revision back on the air',
    arguments: folder,
    options: [['--to <revision>', 'number of the revision (default: the one that was live before)'], ...target, noWait],
    examples: [
      ['opslog rollback', 'to the revision before this one'],
      ['opslog rollback --to 3', 'to revision 3'],
    ],
    load: () => import('./developer/rollback.ts'),
  },
  {
    usage: 'status [folder]',
    summary: 'Show the worker, its live revision and its last deployment',
    arguments: folder,
    options: target,
    examples: [['opslog status', '']],
    load: () => import('./developer/status.ts'),
  },
  {
    usage: 'diff',
    summary: 'Show who changed what in a workspace between two times',
    about: `Shows what changed in a workspace between two times: thing by thing what it was and is, the relations that began and
ended, and the facts in between with who did it and in which request. Of secrets only that there is another one. You see what you
may see of events.`,
    options: [
      ['--from <time>', 'RFC 3339 (default: a day before --to)'],
      ['--to <time>', 'RFC 3339 (default: now)'],
      ['--type <type>', 'only things of this kind, for example edgeWorker or credential'],
      ['--actor <id>', 'only what this user, token or part of the platform changed'],
      ['--department <id>', 'only what changed in this department'],
      ['--workspace <id or slug>', 'workspace (default: the only one that you are in)'],
      url,
    ],
    examples: [
      ['opslog diff', 'what happened since yesterday'],
      ['opslog diff --from 2026-03-01T00:00:00Z --to 2026-04-01T00:00:00Z --type credential --json', 'a thing a line'],
    ],
    load: () => import('./developer/diff.ts'),
  },
  cancelCommand,
  {
    usage: 'schedules [folder]',
    summary: 'Show when the worker runs by itself, and how its last runs went',
    about: `Shows the schedules of the live revision, the next three times of each, and the last runs.

Schedules are settings of a revision: write them into opslog.json and deploy, for example
  "schedules": [{ "cron": "0 6 * * MON-FRI", "timeZone": "Europe/Berlin" }]`,
    arguments: folder,
    options: target,
    examples: [['opslog schedules', '']],
    load: () => import('./developer/schedules.ts'),
  },
  {
    usage: 'logs [folder]',
    summary: 'Show what the worker wrote',
    about: `Shows what the worker wrote to its console, and what the runtime said about it, oldest first.

With --follow it goes on with every line that comes, and comes back where it was when the connection breaks. Values of
secrets and variables are masked. A worker at Cloudflare can only be followed: nothing is kept there.`,
    arguments: folder,
    options: [
      ['--follow', 'go on with the lines that come, until Ctrl-C'],
      ['--since <time>', 'from then on: a duration such as 10m or 2h, or a time such as 2030-01-31T12:00:00Z'],
      ['--limit <lines>', 'lines at most, from 1 to 1000 (default: the newest 100)'],
      ...target,
    ],
    examples: [
      ['opslog logs', 'the newest lines'],
      ['opslog logs --follow --since 10m', 'the last ten minutes, and whatever comes'],
      ['opslog logs --follow --json', 'a line of JSON each'],
    ],
    load: () => import('./developer/logs.ts'),
  },
  {
    usage: 'pause [folder]',
    summary: 'Take the worker off the air; its revision is kept',
    arguments: folder,
    options: target,
    examples: [['opslog pause', 'requests answer 503 until it is resumed']],
    load: () => import('./developer/pause.ts'),
  },
  {
    usage: 'resume [folder]',
    summary: 'Put a paused worker back on the air',
    arguments: folder,
    options: target,
    examples: [['opslog resume', '']],
    load: () => import('./developer/resume.ts'),
  },
];

const departments: readonly CommandDefinition[] = [
  {
    usage: 'list',
    summary: 'Departments in which you may act',
    options: [workspace, url],
    examples: [['opslog department list', '']],
    load: () => import('./developer/departmentList.ts'),
  },
  {
    usage: 'create <name>',
    summary: 'Create a department; it owns one worker',
    arguments: { name: 'a name for people' },
    options: [['--slug <slug>', 'short name for commands (default: made from the name)'], workspace, url],
    examples: [['opslog department create Sales', 'needs the role ADMIN or OWNER']],
    load: () => import('./developer/departmentCreate.ts'),
  },
];

export const addDeveloperCommands = (program: Command, cli: Cli): void => {
  for (const definition of commands) register(program, cli, group, definition);
  register(program, cli, group, joinCommand);
  register(program, cli, group, passwordCommand);
  addGroup(program, cli, group, { name: 'sessions', about: 'Where you are signed in', commands: sessionCommands });
  addGroup(program, cli, group, { name: 'members', about: 'Members of a workspace', commands: memberCommands });
  addGroup(program, cli, group, { name: 'tokens', about: 'API tokens of a workspace', commands: tokenCommands });
  addGroup(program, cli, group, { name: 'department', about: 'Departments of a workspace', commands: departments });
  addGroup(program, cli, group, {
    name: 'deployments',
    about: 'Deployments of a worker',
    commands: deploymentCommands,
  });
  addGroup(program, cli, group, { name: 'secrets', about: 'Secrets of a worker', commands: secretCommands });
  addGroup(program, cli, group, {
    name: 'credentials',
    about: 'Credentials of a workspace',
    commands: credentialCommands,
  });
  addGroup(program, cli, group, { name: 'webhooks', about: 'Webhooks of a workspace', commands: webhookCommands });
  addGroup(program, cli, group, { name: 'domains', about: 'Host names of a worker', commands: domainCommands });
  addGroup(program, cli, group, {
    ...{ name: 'resources', about: 'Everything that a workspace has, as one graph', commands: resourceCommands },
  });
  addGroup(program, cli, group, { name: 'jobs', about: 'Work that the platform does outside', commands: jobCommands });
};
