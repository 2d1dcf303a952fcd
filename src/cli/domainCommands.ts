import type { CommandDefinition } from './register.ts';

const url = ['--url <url>', 'the Opslog to talk to (else OPSLOG_URL, else the one signed in to last)'] as const;
const workspace = ['--workspace <id or slug>', 'workspace (else from opslog.json)'] as const;
const department = ['--department <id or slug>', 'department (else from opslog.json)'] as const;
const target = [workspace, department, url];
const folder = { folder: 'folder of the worker, with its opslog.json (default: this one)' };
const named = { hostname: 'full host name, such as www.example.com', ...folder };

const load = (name: 'attach' | 'list' | 'verify' | 'detach' | 'certificate') => async () => ({
  run: (await import('./developer/domains.ts'))[name],
});

/** Host names of a worker. */
export const domainCommands: readonly CommandDefinition[] = [
  {
    usage: 'attach <hostname> [folder]',
    summary: 'Attach a host name to the worker',
    about: `Attaches a host name to the worker.

The name is claimed at once, for this department alone in the whole installation. What is there for it already and was
not made by Opslog is a conflict; --adopt takes it over. Other names of the worker stay as they are.`,
    arguments: named,
    options: [['--adopt', 'take over what is there for this name'], ...target],
    examples: [
      ['opslog domains attach www.example.com', ''],
      ['opslog domains attach www.example.com --adopt', 'even though something else is there'],
    ],
    load: load('attach'),
  },
  {
    usage: 'list [folder]',
    summary: 'Host names of the worker, where they stand, and when their certificates end',
    arguments: folder,
    options: target,
    examples: [['opslog domains list', '']],
    load: load('list'),
  },
  {
    usage: 'verify <hostname> [folder]',
    summary: 'Look whether a host name leads to the worker',
    about: `Looks whether a host name leads to the worker.

On-prem, Opslog's own router is asked, and what DNS says is told beside it; at Cloudflare, its list of domains is asked.
The way that callers from elsewhere take is not tried.`,
    arguments: named,
    options: target,
    examples: [['opslog domains verify www.example.com', '"opslog domains list" shows what was found']],
    load: load('verify'),
  },
  {
    usage: 'detach <hostname> [folder]',
    summary: 'Detach a host name, and remove what attaching made',
    arguments: named,
    options: target,
    examples: [['opslog domains detach www.example.com', '']],
    load: load('detach'),
  },
  {
    usage: 'certificate <hostname> [folder]',
    summary: 'Give the certificate for a host name on-prem, replace it, or remove it',
    about: `Gives the certificate that the edge router serves for a host name on-prem, or replaces it, without a restart.

The certificate comes first in its file, then its chain in order. Both files are PEM, the key not encrypted; it is
sealed when it arrives and never shown again.`,
    arguments: named,
    options: [
      ['--cert <path>', 'file of the certificate and its chain'],
      ['--key <path>', 'file of the private key'],
      ['--remove', 'serve none any more'],
      ...target,
    ],
    examples: [['opslog domains certificate www.example.com --cert chain.pem --key key.pem', '']],
    load: load('certificate'),
  },
];
