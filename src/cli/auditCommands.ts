import type { CommandDefinition } from './register.ts';

const data = ['--data <folder>', 'folder of this node (else OPSLOG_DATA_DIR, else ./data)'] as const;
const remote = [
  ['--workspace <id or slug>', 'workspace (default: the only one that you are in)'],
  ['--url <url>', 'the Opslog to talk to (else OPSLOG_URL, else the one signed in to last)'],
] as const;
const filters = [
  ['--actor-id <id>', 'only what this user, token or part of the platform did'],
  ['--action <action>', 'only this, for example edgeWorker.DeploymentAdmitted'],
  ['--resource-type <type>', 'only of this kind'],
  ['--resource-id <id>', 'only of this one'],
  ['--request-id <id>', 'only what this request led to'],
  ['--correlation-id <id>', 'only what belongs to this request, with all that followed from it'],
  ['--status <status>', 'only success, failure or refused'],
  ['--risk-level <level>', 'only low, medium or high'],
  ['--from <time>', 'from then on, as RFC 3339 writes it'],
  ['--to <time>', 'before then'],
] as const;

/** The audit trail, for the operator of a node and for the administrators of a workspace. */
export const auditCommands: readonly CommandDefinition[] = [
  {
    usage: 'verify',
    summary: 'Check the hash chain, signed heads and every read table against the log; or an exported file',
    about: `Checks the hash chain of the audit trail and compares every read table with a fresh replay of the log.
With --head it first proves that the chain still contains a head that "opslog audit head" signed earlier: what was cut off or
replaced as a whole is found even when somebody rewrote the log, too. With --file it checks an export on a machine without Opslog.
Exit code 4 when anything differs; the first rows that do are named.`,
    options: [
      ['--chain', 'the chain alone, without the log: fast, and blind to newest entries that were cut off'],
      ['--head <file...>', 'signed heads that the chain must contain'],
      ['--key <file...>', 'public keys, PEM, of heads that another key signed than the one in use here'],
      ['--file <file>', 'an export in JSON lines in place of the table'],
      data,
    ],
    examples: [
      ['opslog audit verify', 'exit code 0: nothing was touched'],
      ['opslog audit verify --head last-month.json', 'and nothing of last month is gone'],
      ['opslog audit verify --file audit.jsonl --key key.pem', 'needs no node and no network'],
    ],
    load: () => import('./operator/auditVerify.ts'),
  },
  {
    usage: 'head',
    summary: 'Get the newest entry of a workspace, signed, to keep it elsewhere',
    options: [['--out <file>', 'where to put it (default: standard output)'], ...remote],
    examples: [['opslog audit head --out head.json', 'keep it where whoever runs the database cannot reach it']],
    load: () => import('./developer/auditHead.ts'),
  },
  {
    usage: 'list',
    summary: 'Show the audit trail of a workspace, newest first',
    options: [...filters, ['--limit <entries>', 'entries at most (default: 50)'], ...remote],
    examples: [
      ['opslog audit list --status refused', 'what was asked for and not allowed'],
      ['opslog audit list --request-id 0b8f… --json', 'what a request led to, an entry a line'],
    ],
    load: () => import('./developer/auditList.ts'),
  },
  {
    usage: 'export',
    summary: 'Write the audit trail of a workspace to a file, oldest entry first',
    about: `Writes the audit trail of a workspace to a file. JSON lines carry what verification needs, with the signed head at the
end unless they are filtered: "opslog audit verify --file" checks them anywhere. CSV is for spreadsheets; formulas are disarmed.`,
    options: [
      ['--format <format>', 'jsonl or csv (default: jsonl)'],
      ['--out <file>', 'where to put it (default: standard output)'],
      ...filters,
      ...remote,
    ],
    examples: [
      ['opslog audit export --out audit.jsonl', ''],
      ['opslog audit export --format csv --from 2030-01-01T00:00:00Z --out january.csv', ''],
    ],
    load: () => import('./developer/auditExport.ts'),
  },
];
