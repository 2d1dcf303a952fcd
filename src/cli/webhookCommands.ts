import type { CommandDefinition } from './register.ts';

const options = [
  ['--workspace <id or slug>', 'workspace (default: the only one)'],
  ['--url <url>', 'the Opslog to talk to (else OPSLOG_URL, else the one signed in to last)'],
] as const;
const webhook = { webhook: 'id of the webhook, as "opslog webhooks list" shows it' };

const load = (name: 'list' | 'add' | 'remove' | 'deliveries' | 'redrive' | 'replay' | 'test') => async () => ({
  run: (await import('./developer/webhooks.ts'))[name],
});

/** For administrators: events of a workspace, sent to a URL. */
export const webhookCommands: readonly CommandDefinition[] = [
  {
    usage: 'list',
    summary: 'Webhooks of the workspace, and how they do',
    options,
    examples: [['opslog webhooks list', '']],
    load: load('list'),
  },
  {
    usage: 'add <to>',
    summary: 'Send events of the workspace to a URL',
    about: `Sends events of the workspace to a URL, from now on, as signed messages (Standard Webhooks).

The secret is printed now and never again: the receiver checks the signature of each message with it.`,
    arguments: { to: 'https URL of the receiver' },
    options: [
      ['--events <filters>', 'comma-separated: "*", "edgeWorker.*", "edgeWorker.DeploymentFailed" (default: "*")'],
      ['--departments <ids>', 'comma-separated ids; only events of these departments'],
      ['--description <text>', 'for people'],
      ...options,
    ],
    examples: [
      ['opslog webhooks add https://example.com/hooks', 'everything but the inner life of jobs'],
      ["opslog webhooks add https://example.com/hooks --events 'edgeWorker.*'", 'what becomes of workers'],
    ],
    load: load('add'),
  },
  {
    usage: 'remove <webhook>',
    summary: 'Remove a webhook; what waits is not sent any more',
    arguments: webhook,
    options,
    examples: [['opslog webhooks remove 0d2e…', '']],
    load: load('remove'),
  },
  {
    usage: 'deliveries <webhook>',
    summary: 'Its newest deliveries, and what was answered',
    arguments: webhook,
    options: [['--status <status>', 'PENDING, RUNNING, SUCCEEDED, FAILED, CANCELLED or DEAD'], ...options],
    examples: [['opslog webhooks deliveries 0d2e… --status DEAD', 'those that were given up']],
    load: load('deliveries'),
  },
  {
    usage: 'redrive <webhook> [delivery]',
    summary: 'Begin a dead delivery again, or all of them',
    arguments: { ...webhook, delivery: 'id of the delivery (default: all dead ones)' },
    options,
    examples: [['opslog webhooks redrive 0d2e…', '']],
    load: load('redrive'),
  },
  {
    usage: 'replay <webhook>',
    summary: 'Send what happened in a time once more',
    arguments: webhook,
    options: [
      ['--from <time>', 'RFC 3339, from this time on'],
      ['--to <time>', 'RFC 3339, up to before this time (default: now)'],
      ...options,
    ],
    examples: [
      ['opslog webhooks replay 0d2e… --from 2026-11-29T12:00:00Z', 'a receiver knows again what it has by its id'],
    ],
    load: load('replay'),
  },
  {
    usage: 'test <webhook>',
    summary: 'Send a message that says nothing, to see whether it arrives',
    arguments: webhook,
    options,
    examples: [['opslog webhooks test 0d2e…', '"opslog webhooks deliveries" shows what came of it']],
    load: load('test'),
  },
];
