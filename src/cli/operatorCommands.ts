import type { Command } from 'commander';
import { auditCommands } from './auditCommands.ts';
import type { Cli } from './cli.ts';
import { eventCommands } from './eventCommands.ts';
import { addMaintenanceCommands } from './maintenanceCommands.ts';
import { addGroup, type CommandDefinition, register } from './register.ts';
import { userCommands } from './userCommands.ts';

const data = ['--data <folder>', 'folder of this node (else OPSLOG_DATA_DIR, else ./data)'] as const;
const group = 'For operators:';

const commands: readonly CommandDefinition[] = [
  {
    usage: 'serve',
    summary: 'Run Opslog',
    about: `Runs Opslog until it is stopped (Ctrl-C). Everything is embedded, in one folder, unless the environment names
real servers. "opslog doctor --settings" lists every variable.`,
    options: [
      data,
      ['--port <number>', 'port of the API (else OPSLOG_PORT, else 8080)'],
      ['--edge-port <number>', 'port of the edge router (else OPSLOG_EDGE_PORT, else 8788)'],
    ],
    examples: [
      ['opslog serve', 'on http://127.0.0.1:8080, data in ./data'],
      ['DATABASE_URL=postgres://… EVENTSTORE_URL=esdb://… opslog serve', 'with real servers'],
    ],
    load: () => import('./operator/serve.ts'),
  },
  {
    usage: 'demo',
    summary: 'Play the main job from sign-in to a worker on the air, on everything embedded',
    about: `Starts everything embedded in a folder, signs in, creates a workspace and a department, submits a small
TypeScript project that reads a secret, deploys it, gives it a host name, calls it, deploys a second revision with a new
secret (the answer of the provider is lost on purpose, so the outcome is uncertain until it is settled by looking), rolls
back to revision and secret of before, pauses and resumes, shows the audit trail and the log behind it, and stays up.`,
    options: [
      ['--exit', 'end afterwards; everything happens in a temporary folder'],
      ['--data <folder>', 'folder that is kept and used again (default: ./demo-data)'],
      ['--provider <name>', 'workerd, or cloudflare: a stand-in for its API on this machine, which runs no worker'],
      ['--services', 'use EVENTSTORE_URL, DATABASE_URL and NATS_URL of the environment, as "opslog serve" does'],
    ],
    examples: [
      ['opslog demo', 'watch it, then look around'],
      ['opslog demo --exit --json', 'one JSON object on standard output'],
    ],
    load: () => import('./operator/demo.ts'),
  },
  {
    usage: 'eventstore',
    summary: 'Run the embedded event store alone, for several processes to share',
    options: [
      ['--data <folder>', 'where it keeps its events (default: ./data/eventstore)'],
      ['--port <number>', 'port it listens on, on 127.0.0.1 (default: 2113)'],
      ['--key-file <file>', 'lets only those in whose connection string carries this key (default: every local user)'],
    ],
    examples: [
      ['opslog eventstore --port 2113 --data ./events', "then EVENTSTORE_URL='esdb://127.0.0.1:2113?tls=false'"],
    ],
    load: () => import('./operator/eventstore.ts'),
  },
  {
    usage: 'doctor',
    summary: 'Show what is configured, what answers and what to do about the rest',
    options: [data, ['--settings', 'list every environment variable with its meaning']],
    examples: [
      ['opslog doctor', 'exit code 1 when something is down'],
      ['opslog doctor --settings', 'every variable'],
    ],
    load: () => import('./operator/doctor.ts'),
  },
  {
    usage: 'rebuild [tables...]',
    summary: 'Build read tables anew from the log, beside the old ones',
    about: `Builds read tables anew from the log, beside the old ones, and swaps them in one step. Reads go on meanwhile.
Tables that foreign keys join to those named are rebuilt along. Works beside a running server and without one.`,
    arguments: { tables: 'names of tables (default: all)' },
    options: [data],
    examples: [
      ['opslog rebuild', 'every table'],
      ['opslog rebuild edge_workers edge_worker_versions', 'these and what refers to them'],
    ],
    load: () => import('./operator/rebuild.ts'),
  },
  {
    usage: 'reconcile',
    summary: 'Compare what the providers run with what should run',
    about: `Compares what the providers run with what the log says should run, and finds scripts without an owner, missing and
changed ones, and deployments whose outcome nobody has looked at. Changes nothing unless --apply is given: then scripts
without an owner are taken down and the others are deployed again. Names that were never ours are told and left alone.
Needs a running node with the runner role. Exit code 4 when anything was found.`,
    options: [
      ['--provider <name>', 'only this one, workerd or cloudflare (default: all)'],
      ['--apply', 'put right what is found'],
      data,
    ],
    examples: [
      ['opslog reconcile', 'what would be done'],
      ['opslog reconcile --provider cloudflare --apply', 'do it'],
    ],
    load: () => import('./operator/reconcile.ts'),
  },
  {
    usage: 'replay',
    summary: 'Show the state as it was at a time',
    about: `Shows the state as it was at a time or at a position of the log: one stream folded, or read tables built anew in a
scratch database. Changes nothing. With --workspace and --into, builds the tables of one workspace as of then in an empty
database that you give, and leaves them there to be queried.`,
    options: [
      ['--at <time or position>', 'RFC 3339 time, or a position of the log (default: now)'],
      ['--stream <stream>', 'one stream, for example edgeWorker-<id>'],
      ['--table <table>', 'rows of one read table, as JSON lines'],
      ['--out <file>', 'every read table, as JSON lines into a file'],
      ['--workspace <id or slug>', 'only what belongs to this workspace; with --into'],
      ['--into <url or folder>', 'postgres://…, mysql://… or a folder for an embedded database; must be empty'],
      data,
    ],
    examples: [
      ['opslog replay --at 2026-03-01T12:00:00Z --table edge_workers', 'the workers on that day'],
      [
        'opslog replay --workspace acme --at 2026-03-01T12:00:00Z --into ./acme-then',
        'a company on that day, to be queried',
      ],
      ['opslog replay --at 48211 --stream edgeWorker-4f0c…', 'one worker at a position'],
    ],
    load: () => import('./operator/replay.ts'),
  },
];

const evidenceOptions: CommandDefinition['options'] = [
  ['--worker <id>', 'only revisions of this worker'],
  ['--department <id>', "only revisions of this department's worker"],
  data,
];

const evidence: readonly CommandDefinition[] = [
  {
    usage: 'verify [revisions...]',
    summary: 'Check the signed receipt and the SBOM of revisions against their bundles',
    about: `Checks signature, digests and SBOM of each revision. Give --bundle, --sbom, --receipt and --key to check files on a
machine without Opslog. Exit code 4 when anything does not fit.`,
    arguments: { revisions: 'numbers of revisions (default: all)' },
    options: [
      ...evidenceOptions,
      ['--bundle <file>', 'offline: the bundle'],
      ['--sbom <file>', 'offline: its SBOM'],
      ['--receipt <file>', 'offline: its build receipt'],
      ['--key <file>', 'offline: public key of the builder, PEM'],
    ],
    examples: [
      ['opslog evidence verify', 'every revision of every worker'],
      ['opslog evidence verify --bundle b.mjs --sbom s.json --receipt r.json --key k.pem', 'files'],
    ],
    load: () => import('./operator/evidenceVerify.ts'),
  },
  {
    usage: 'rebuild [revisions...]',
    summary: 'Build revisions again from their stored source and compare the bytes',
    arguments: { revisions: 'numbers of revisions (default: all)' },
    options: evidenceOptions,
    examples: [['opslog evidence rebuild 3 --department d7…', 'revision 3: same source, same bytes']],
    load: () => import('./operator/evidenceRebuild.ts'),
  },
  {
    usage: 'key',
    summary: 'Print the public key that receipts are signed with',
    options: [data],
    examples: [['opslog evidence key > build-key.pem', 'for those who verify elsewhere']],
    load: () => import('./operator/evidenceKey.ts'),
  },
];

const keys: readonly CommandDefinition[] = [
  {
    usage: 'list',
    summary: 'Show the versions of the master key, and how many data keys need each',
    options: [data],
    examples: [['opslog keys list', 'which version wraps, and which can be retired']],
    load: () => import('./operator/keysList.ts'),
  },
  {
    usage: 'rotate',
    summary: 'Make a new master key and wrap every data key with it, while everything goes on',
    about: `Makes the next version of the master key and wraps every data key with it; secrets are read and written meanwhile.
Interrupted at any moment, it is finished by running it again. With OPSLOG_MASTER_KEYS no key is made: add the new version there,
on every node, restart them, and run this.`,
    options: [data],
    examples: [['opslog keys rotate', 'then "opslog keys retire <old version>"']],
    load: () => import('./operator/keysRotate.ts'),
  },
  {
    usage: 'retire <version>',
    summary: 'Destroy a version of the master key that no data key needs any more',
    about: `Destroys the file of a version. Refused while any data key needs it; rotate first.`,
    arguments: { version: 'number of the version, as "opslog keys list" shows it' },
    options: [data],
    examples: [['opslog keys retire 1', 'after a rotation to version 2']],
    load: () => import('./operator/keysRetire.ts'),
  },
];

export const addOperatorCommands = (program: Command, cli: Cli): void => {
  for (const definition of commands) register(program, cli, group, definition);
  addGroup(program, cli, group, { name: 'audit', about: 'The audit trail', commands: auditCommands });
  addGroup(program, cli, group, {
    name: 'evidence',
    about: 'Evidence of how revisions were built',
    commands: evidence,
  });
  addGroup(program, cli, group, { name: 'keys', about: 'Keys that secrets are sealed with', commands: keys });
  addGroup(program, cli, group, {
    name: 'events',
    about: 'The log, and what a workspace is told of it',
    commands: eventCommands,
  });
  addGroup(program, cli, group, { name: 'users', about: 'Accounts of people', commands: userCommands });
  addMaintenanceCommands(program, cli, group);
};
