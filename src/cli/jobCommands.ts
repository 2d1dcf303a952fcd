import type { CommandDefinition } from './register.ts';

const url = ['--url <url>', 'the Opslog to talk to (else OPSLOG_URL, else the one signed in to last)'] as const;
const workspace = ['--workspace <id or slug>', 'workspace (else the only one)'] as const;
const where = [workspace, url];
const job = { job: 'id of the job, as "opslog jobs list" shows it' };

const load = (name: 'list' | 'show' | 'cancel' | 'redrive') => async () => ({
  run: (await import('./developer/jobs.ts'))[name],
});

/** The queue of what the platform does outside. */
export const jobCommands: readonly CommandDefinition[] = [
  {
    usage: 'list',
    summary: 'Jobs of the workspace, newest first',
    about: `Shows jobs of the workspace, newest first.

A job is work that the platform does outside: attaching a host name, taking a script down, a scheduled run. DEAD ones were
given up after their last attempt and wait for somebody; FAILED ones were refused by the world outside.`,
    options: [
      ['--status <status>', 'pending, running, succeeded, failed, cancelled or dead'],
      ['--kind <kind>', 'for example edge.removeScript.cloudflare'],
      ['--subject <id>', 'what the jobs are about'],
      ['--limit <number>', 'so many at most (default: 50)'],
      ...where,
    ],
    examples: [
      ['opslog jobs list', ''],
      ['opslog jobs list --status dead', 'what somebody has to look at'],
    ],
    load: load('list'),
  },
  {
    usage: 'show <job>',
    summary: 'One job: where it stands, why, and what happens next',
    arguments: job,
    options: where,
    examples: [['opslog jobs show 4f0c…', '']],
    load: load('show'),
  },
  {
    usage: 'cancel <job>',
    summary: 'Cancel a job',
    about: `Cancels a job.

One that waits is cancelled at once. For one that runs, or may have happened, it is a request: whoever works on it undoes
what is done, or says that it was too late. What follows from a removal cannot be cancelled.`,
    arguments: job,
    options: where,
    examples: [['opslog jobs cancel 4f0c…', '']],
    load: load('cancel'),
  },
  {
    usage: 'redrive <job>',
    summary: 'Begin a dead job again, with all its attempts; needs the role ADMIN',
    arguments: job,
    options: where,
    examples: [['opslog jobs redrive 4f0c…', 'after what kept it from succeeding is mended']],
    load: load('redrive'),
  },
];
