import type { CommandDefinition } from './register.ts';

const target = [
  ['--workspace <id or slug>', 'workspace (else from opslog.json)'],
  ['--department <id or slug>', 'department (else from opslog.json)'],
  ['--url <url>', 'the Opslog to talk to (else OPSLOG_URL, else the one signed in to last)'],
] as const;
const ticket = { ticket: 'id of the ticket (default: the newest of the worker in this folder)' };

export const deploymentCommands: readonly CommandDefinition[] = [
  {
    usage: 'show [ticket]',
    summary: 'Explain a deployment: its steps, what was asked, answered and found, and what can be done',
    arguments: ticket,
    options: target,
    examples: [
      ['opslog deployments show', 'the newest of the worker in this folder'],
      ['opslog deployments show 7c0f… --json', 'with everything that the steps recorded'],
    ],
    load: () => import('./developer/deploymentsShow.ts'),
  },
  {
    usage: 'follow [ticket]',
    summary: 'Show each step of a deployment as it happens, to its end',
    arguments: ticket,
    options: target,
    examples: [['opslog deployments follow', 'after "opslog deploy --no-wait"']],
    load: () => import('./developer/deploymentsFollow.ts'),
  },
];

export const cancelCommand: CommandDefinition = {
  usage: 'cancel [ticket]',
  summary: 'Cancel a deployment',
  about: `Cancels a deployment.

One that waits for its first attempt is cancelled at once. For one that a runner works on, or whose outcome is uncertain, it is a request: it is
confirmed once it is sure that the world saw nothing. With --give-up one whose outcome is uncertain ends at once, as
failed: nobody looks any more what became of it, so reconcile afterwards.`,
  arguments: ticket,
  options: [['--give-up', 'end one whose outcome is uncertain without knowing it'], ...target],
  examples: [
    ['opslog cancel', 'the newest of the worker in this folder'],
    ['opslog cancel 7c0f… --give-up', 'although it may be on the air'],
  ],
  load: () => import('./developer/cancel.ts'),
};
