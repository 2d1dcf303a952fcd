import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { answerOf, createClient, type OpslogClient } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { Failure, usage } from '../failure.ts';
import { findServer } from './server.ts';
import { readSettings } from './settings.ts';

export const targetArgs = z.object({
  folder: z.string().default('.'),
  workspace: z.string().optional(),
  department: z.string().optional(),
  url: z.string().optional(),
});
export type TargetArgs = z.infer<typeof targetArgs>;

/** Which worker is meant: that of one department, in one workspace of one Opslog. */
export type Target = {
  readonly client: OpslogClient;
  readonly url: string;
  readonly folder: string;
  readonly path: { readonly workspaceId: string; readonly departmentId: string };
};

type Named = { readonly id: string; readonly slug: string; readonly name: string };

/** Options first, then opslog.json, then the only one there is. */
export const findTarget = async (cli: Cli, args: TargetArgs): Promise<Target> => {
  const folder = resolve(cli.cwd, args.folder);
  const settings = await readSettings(folder);
  // Without this, a folder that was mistyped would mean the only department that there is.
  if (!settings && !(await isFolder(folder)))
    throw usage(`There is no folder ${folder}.`, 'Name the folder of a worker.');
  const { url, token } = await findServer(cli, args.url);
  const client = createClient({ url, token });
  const workspaceId = await findWorkspace(cli, client, args.workspace ?? settings?.workspace ?? '');
  const wanted = args.department ?? settings?.department ?? '';
  const departmentId = await findDepartment(cli, client, workspaceId, wanted);
  return { client, url, folder, path: { workspaceId, departmentId } };
};

export const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
};

/** Id of the workspace with this id, slug or name; '' takes the only one. */
export const findWorkspace = ({ signal }: Cli, client: OpslogClient, wanted: string): Promise<string> =>
  choose('workspace', wanted, (cursor) =>
    answerOf(client.GET('/workspaces', { params: { query: { limit: '200', ...cursor } }, signal })),
  );

/** Id of the department with this id, slug or name; '' takes the only one. */
export const findDepartment = (
  { signal }: Cli,
  client: OpslogClient,
  workspaceId: string,
  wanted: string,
): Promise<string> =>
  choose('department', wanted, (cursor) =>
    answerOf(
      client.GET('/workspaces/{workspaceId}/departments', {
        params: { path: { workspaceId }, query: { limit: '200', ...cursor } },
        signal,
      }),
    ),
  );

type ListPage = (cursor: {
  cursor?: string;
}) => Promise<{ readonly items: readonly Named[]; readonly next: string | null }>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const choose = async (what: 'workspace' | 'department', wanted: string, list: ListPage): Promise<string> => {
  if (uuid.test(wanted)) return wanted;
  const all = await everything(list);
  const [only, another] = all;
  if (wanted === '' && only !== undefined && another === undefined) return only.id;
  const found = all.find(({ slug }) => slug === wanted) ?? all.find(({ name }) => name === wanted);
  if (found) return found.id;
  const names = all.map(({ slug, name }) => `  ${slug}  (${name})`).join('\n');
  if (all.length === 0) {
    throw new Failure(`You have no ${what} here yet.`, {
      code: `${what}_missing`,
      hint:
        what === 'department'
          ? 'Create one with "opslog department create <name>", or ask an administrator to.'
          : 'Ask an administrator to make you a member of one.',
    });
  }
  const message = wanted === '' ? `Which ${what}? You have several:` : `You have no ${what} "${wanted}". There are:`;
  throw new Failure(`${message}\n${names}`, {
    code: `${what}_unclear`,
    hint: `Name it with --${what}, or in opslog.json.`,
    more: { choices: all.map(({ id, slug, name }) => ({ id, slug, name })) },
  });
};

export const everything = async (list: ListPage): Promise<readonly Named[]> => {
  const all: Named[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Awaited<ReturnType<ListPage>> = await list(cursor === '' ? {} : { cursor });
    all.push(...page.items);
    cursor = page.next;
  }
  return all;
};
