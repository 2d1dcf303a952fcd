import type { CommandDefinition } from './register.ts';

const data = ['--data <folder>', 'folder of this node (else OPSLOG_DATA_DIR, else ./data)'] as const;
const remote = [
  ['--workspace <id or slug>', 'workspace (default: the only one that you are in)'],
  ['--url <url>', 'the Opslog to talk to (else OPSLOG_URL, else the one signed in to last)'],
] as const;

/** What happens, for the operator of a node and for the members of a workspace. */
export const eventCommands: readonly CommandDefinition[] = [
  {
    usage: 'tail',
    summary: 'Follow the log as it grows; secrets are masked',
    options: [
      ['--from <position>', 'begin after this position; 0 is the beginning (default: now)'],
      ['--stream <stream>', 'only this stream'],
      ['--category <category>', 'only streams of this category, for example edgeWorker'],
      ['--no-follow', 'stop at the end of the log'],
      data,
    ],
    examples: [
      ['opslog events tail', 'what happens from now on'],
      ['opslog events tail --from 0 --category edgeWorker --no-follow --json', 'the whole story of the workers'],
    ],
    load: () => import('./operator/eventsTail.ts'),
  },
  {
    usage: 'follow',
    summary: 'Follow the events of a workspace, as its members see them',
    about: `Shows what happens in a workspace as it happens, over the API: what you may see, in the order of the log, none lost
and none twice, also when the connection breaks. Stop it and go on later with --after and the last position.`,
    options: [
      ['--after <position>', 'begin after this position; 0 is the beginning (default: now)'],
      ['--type <event>', 'only events of this name, for example DeploymentCompleted'],
      ['--resource-type <category>', 'only of this kind, for example edgeWorker'],
      ['--resource-id <id>', 'only of this one'],
      ...remote,
    ],
    examples: [
      ['opslog events follow', 'until Ctrl-C'],
      ['opslog events follow --after 0 --type DeploymentCompleted --json', 'a CloudEvent a line'],
    ],
    load: () => import('./developer/eventsFollow.ts'),
  },
  {
    usage: 'republish',
    summary: 'Publish the log to NATS again, for a stream that was lost',
    about: `Publishes every event, or a part of the log, to NATS again. A consumer recognises what it had by the id of the
event. Where the publisher goes on is not changed.`,
    options: [
      ['--after <position>', 'begin after this position (default: the beginning)'],
      ['--to <position>', 'end with this position (default: the end as it is now)'],
      data,
    ],
    examples: [
      ['opslog events republish', 'everything, to the NATS_URL of the server'],
      ['opslog events republish --after 48211', 'what came after a position'],
    ],
    load: () => import('./operator/eventsRepublish.ts'),
  },
];
