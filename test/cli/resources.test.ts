import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { z } from 'zod';
import { relatedResources, relation, resource, resourceWithRelations } from '../../src/api/resourceModels.ts';
import { resourceCommands } from '../../src/cli/resourceCommands.ts';
import { showEach } from './eachCommand.ts';
import { type Served, serve, type Workbench, workbench } from './support.ts';

describe('"opslog resources"', () => {
  let bench: Workbench;
  let opslog: Served;
  let department: string;
  let credential: string;
  const nothing = randomUUID();

  beforeAll(async () => {
    bench = await workbench();
    opslog = await serve(bench, join(bench.home, 'data'));
    const input = `${opslog.admin.password ?? ''}\n`;
    await bench.opslog(['login', '--url', opslog.url, '--email', opslog.admin.email, '--password-stdin'], { input });
    await bench.opslog(['department', 'create', 'Sales', '--json']);
    const add = ['credentials', 'add', 'dns', '--kind', 'apiToken', '--provider', 'cloudflare', '--json'];
    await bench.opslog(add, { input: 'a-token-for-dns\n' });
    const listed = z.object({ resources: z.array(resource) });
    const { resources } = (await bench.opslog(['resources', 'list', '--json'])).json(listed);
    const idOf = (type: string) => resources.find((each) => each.type === type)?.id ?? '';
    [department, credential] = [idOf('department'), idOf('credential')];
  });
  afterAll(async () => {
    await opslog?.stop();
    await bench.remove();
  });

  const relate = async () => [department, 'uses', credential];
  showEach(
    resourceCommands,
    {
      list: {
        does: ['sal', '--type', 'department'],
        ...{ says: /department\s+active\s+Sales/, answers: z.object({ resources: z.array(resource).length(1) }) },
        ...{ refused: ['--at', '2900-01-01T00:00:00Z'], code: 'request_invalid' },
      },
      relate: {
        does: relate,
        ...{ says: /--uses-->/, answers: z.object({ relation: relatedResources }) },
        ...{ refused: async () => [department, 'uses', nothing], code: 'resource_not_found' },
      },
      show: {
        does: async () => [department],
        ...{ says: /Sales[\s\S]*--uses-->/, answers: z.object({ resource: resourceWithRelations }) },
        ...{ refused: [nothing], code: 'resource_not_found' },
      },
      graph: {
        does: async () => [department, '--direction', 'out', '--depth', '1'],
        says: /Sales[\s\S]*dns[\s\S]*--uses-->/,
        answers: z.object({ nodes: z.array(z.object({ distance: z.number() })).length(2), edges: z.array(relation) }),
        ...{ refused: async () => [department, '--depth', '99'], code: 'request_invalid' },
      },
      tag: {
        does: async () => [department, 'team=payments'],
        ...{ says: /#team=payments/, json: async () => [department, 'team=payments', '--remove'] },
        answers: z.object({ tags: z.array(z.string()).length(0) }),
        ...{ refused: async () => [department, 'NOT A TAG'], code: 'request_invalid' },
      },
      export: {
        ...{ does: ['--format', 'dot'], says: /^digraph/, json: [] },
        answers: z.object({ format: z.literal('jsonl'), text: z.string().includes('"Sales"') }),
        ...{ refused: ['--at', '2900-01-01T00:00:00Z'], code: 'request_invalid' },
      },
    },
    (args) => bench.opslog(['resources', ...args]),
  );

  describe('with "relate --remove"', () => {
    showEach(
      resourceCommands.filter(({ usage }) => usage.startsWith('relate ')),
      {
        relate: {
          does: async () => [...(await relate()), '--remove'],
          says: /no longer uses/,
          json: async () => {
            await bench.opslog(['resources', 'relate', ...(await relate())]);
            return [...(await relate()), '--remove'];
          },
          answers: z.object({ relation: z.null() }),
          ...{ refused: async () => [credential, 'uses', department, '--remove'] },
          code: 'resource_relation_not_found',
        },
      },
      (args) => bench.opslog(['resources', ...args]),
    );
  });
});
