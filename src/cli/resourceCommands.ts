import type { CommandDefinition } from './register.ts';

const url = ['--url <url>', 'the Opslog to talk to (else OPSLOG_URL, else the one signed in to last)'] as const;
const workspace = ['--workspace <id or slug>', 'workspace (else the only one that you are in)'] as const;
const at = ['--at <time>', 'as it was then, such as 2026-11-29T12:00:00Z'] as const;
const resource = { resource: 'id of a resource, as "opslog resources list" shows it' };

const load = (name: 'list' | 'show' | 'graph' | 'tag' | 'relate' | 'exported') => async () => ({
  run: (await import('./developer/resources.ts'))[name],
});

/** One graph over everything that a workspace has. */
export const resourceCommands: readonly CommandDefinition[] = [
  {
    usage: 'list [text]',
    summary: 'Everything that the workspace has: departments, workers, host names, secrets and what was noted by hand',
    arguments: { text: 'in the name, in upper or lower case' },
    options: [
      ['--type <type>', 'such as edgeWorker; custom for what was noted by hand'],
      ['--status <status>', 'such as active'],
      ['--tag <tag>', 'such as env=production'],
      ['--provider <name>', 'who runs it'],
      ...[at, workspace, url],
    ],
    examples: [
      ['opslog resources list', ''],
      ['opslog resources list shop --type edgeDomain', 'host names with "shop" in them'],
      ['opslog resources list --tag env=production --at 2026-11-29T12:00:00Z', 'what was in production then'],
    ],
    load: load('list'),
  },
  {
    usage: 'show <resource>',
    summary: 'A resource with its tags and relations',
    arguments: resource,
    options: [at, workspace, url],
    examples: [['opslog resources show 6f1c0b9e-0000-8000-8000-000000000001', '']],
    load: load('show'),
  },
  {
    usage: 'graph <resource>',
    summary: 'What a resource is connected with, over several relations',
    arguments: resource,
    options: [
      ['--depth <number>', 'relations away at most, from 0 to 8 (default: 3)'],
      ['--direction <direction>', 'out, in or both (default: both)'],
      ['--types <types>', 'types of relations to follow, with commas between them'],
      ...[at, workspace, url],
    ],
    examples: [['opslog resources graph 6f1c0b9e-0000-8000-8000-000000000001 --direction out', '']],
    load: load('graph'),
  },
  {
    usage: 'tag <resource> <tags...>',
    summary: 'Tag a resource of any type, or take tags from it',
    arguments: { ...resource, tags: 'keys such as team, or keys with a value such as env=production' },
    options: [['--remove', 'take these tags away'], workspace, url],
    examples: [
      ['opslog resources tag 6f1c0b9e-0000-8000-8000-000000000001 team env=production', ''],
      ['opslog resources tag 6f1c0b9e-0000-8000-8000-000000000001 team --remove', ''],
    ],
    load: load('tag'),
  },
  {
    usage: 'relate <source> <type> <target>',
    summary: 'Relate a resource to another one, or end that',
    arguments: { source: 'id of a resource', type: 'such as depends_on', target: 'id of another one' },
    options: [['--remove', 'end the relation'], workspace, url],
    examples: [
      [
        'opslog resources relate 6f1c0b9e-0000-8000-8000-000000000001 depends_on 6f1c0b9e-0000-8000-8000-000000000002',
        '',
      ],
    ],
    load: load('relate'),
  },
  {
    usage: 'export',
    summary: 'The whole graph of the workspace as JSON lines, for Graphviz, or for Mermaid',
    options: [['--format <format>', 'jsonl, dot or mermaid (default: jsonl)'], at, workspace, url],
    examples: [['opslog resources export --format dot | dot -Tsvg > graph.svg', 'draws it, with Graphviz']],
    load: load('exported'),
  },
];
