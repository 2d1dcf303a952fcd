import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { addGroup, type CommandDefinition, register } from './register.ts';

const data = ['--data <folder>', 'folder of this node (else OPSLOG_DATA_DIR, else ./data)'] as const;
const scope = ['--scope <scope>', 'deployment scope of another node, onprem:<12 hex> (default: of this one)'] as const;

const commands: readonly CommandDefinition[] = [
  {
    usage: 'backup <target>',
    summary: 'Copy a living installation into a folder, consistent to the event',
    about: `Writes the log, the artifacts and the keys of this node into a new folder (or one file, when the name ends in .tar).
Commands go on meanwhile; no deployment begins while the log is copied. Everything acknowledged before that is in it and nothing
after. Read tables are left out: they are rebuilt. It holds password hashes and keys, so treat it like one. The keys that open
secrets go into a file of their own, and only on request: a backup without them opens none.`,
    arguments: { target: 'a name that does not exist yet' },
    options: [
      ['--with-keys <file>', 'save the keys of secrets into this new file; keep it elsewhere'],
      ['--wait <seconds>', 'how long deployments under way may take to finish (default: 60; 0 does not wait)'],
      data,
    ],
    examples: [
      ['opslog backup /backups/2026-03-01', 'beside a running server or without one'],
      ['opslog backup /backups/monday.tar --with-keys /safe/monday.keys', 'one file, and the keys elsewhere'],
    ],
    load: () => import('./operator/backup.ts'),
  },
  {
    usage: 'restore <backup>',
    summary: 'Put a backup into an empty data folder',
    about: `Checks every byte of the backup first and writes nothing when any file was changed, is missing or does not belong.
The next "opslog serve" on the folder begins a new epoch, rebuilds the read tables, and runs what the log says before it admits
deployments. An interrupted restore is repeated by running it again.`,
    arguments: { backup: 'folder or .tar file that "opslog backup" wrote' },
    options: [
      ['--keys <file>', 'keys of secrets, as --with-keys saved them'],
      ['--force', 'move what is in the data folder aside'],
      ['--check', 'only check the backup'],
      data,
    ],
    examples: [
      ['opslog restore /backups/2026-03-01 --data ./data', 'then "opslog serve"'],
      ['opslog restore /backups/2026-03-01 --check', 'is it whole?'],
    ],
    load: () => import('./operator/restore.ts'),
  },
  {
    usage: 'resync',
    summary: 'Have the node run again what the log says should run',
    about: `Starts what should run and does not, stops what should not run, and says what it did. A worker whose deployment is
under way is left to that.`,
    options: [data],
    examples: [['opslog resync', 'exit code 1 when a worker does not start']],
    load: () => import('./operator/resync.ts'),
  },
];

const maintenance: readonly CommandDefinition[] = [
  {
    usage: 'begin',
    summary: 'Close the gate: no deployment is admitted or begins',
    about: `Deployments are refused with 409 edge_workers_maintenance. Those being carried out are finished, those that wait
go on waiting. Workers keep answering.`,
    options: [['--reason <text>', 'why, for those who look'], scope, data],
    examples: [['opslog maintenance begin --reason "new disks"', 'until "opslog maintenance end"']],
    load: () => import('./operator/maintenanceBegin.ts'),
  },
  {
    usage: 'end',
    summary: 'Open the gate, also one that a lost backup or restore left closed',
    options: [scope, data],
    examples: [['opslog maintenance end', 'what waits begins']],
    load: () => import('./operator/maintenanceEnd.ts'),
  },
  {
    usage: 'status',
    summary: 'Show gate, epoch, backups and what is being carried out',
    options: [scope, data],
    examples: [['opslog maintenance status --json', 'for scripts']],
    load: () => import('./operator/maintenanceStatus.ts'),
  },
];

export const addMaintenanceCommands = (program: Command, cli: Cli, group: string): void => {
  for (const definition of commands) register(program, cli, group, definition);
  addGroup(program, cli, group, { name: 'maintenance', about: 'The gate of deployments', commands: maintenance });
};
