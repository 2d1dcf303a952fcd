import { resolve } from 'node:path';
import { z } from 'zod';
import { answerOf, type components, createClient, type OpslogClient } from '../../client/index.ts';
import { caseless } from '../../domain/caseless.ts';
import type { Cli } from '../cli.ts';
import { Failure } from '../failure.ts';
import { findServer } from './server.ts';
import { readSettings } from './settings.ts';
import { findWorkspace } from './target.ts';

export type Credential = components['schemas']['Credential'];
export type Written = components['schemas']['WrittenCredential'];

export const workspaceArgs = z.object({ workspace: z.string().optional(), url: z.string().optional() });

export type Vaulted = { readonly client: OpslogClient; readonly path: { readonly workspaceId: string } };

/** The workspace whose credentials are meant: the option, then opslog.json of this folder, then the only one. */
export const findVaulted = async (
  cli: Cli,
  { workspace, url: given }: z.output<typeof workspaceArgs>,
): Promise<Vaulted> => {
  const settings = await readSettings(resolve(cli.cwd, '.'));
  const { url, token } = await findServer(cli, given);
  const client = createClient({ url, token });
  return { client, path: { workspaceId: await findWorkspace(cli, client, workspace ?? settings?.workspace ?? '') } };
};

type Filter = { readonly kind?: Credential['kind']; readonly departmentId?: string };

export const allCredentials = async (
  { signal }: Cli,
  { client, path }: Vaulted,
  filter: Filter = {},
): Promise<readonly Credential[]> => {
  const found: Credential[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: Filter & { limit: string; cursor?: string } = {
      ...{ limit: '200', ...filter },
      ...(cursor !== '' && { cursor }),
    };
    const page: { items: Credential[]; next: string | null } = await answerOf(
      client.GET('/workspaces/{workspaceId}/credentials', { params: { path, query }, signal }),
    );
    found.push(...page.items);
    cursor = page.next;
  }
  return found;
};

/** By id, else by the name as it is spelled, else whatever its case: of before there may be two that differ in that alone. */
export const allCalled = <Named extends Pick<Credential, 'id' | 'name'>>(
  all: readonly Named[],
  wanted: string,
): readonly Named[] => {
  const spelled = wanted.normalize('NFC').trim();
  const exact = all.find(({ id }) => id === wanted) ?? all.find(({ name }) => name === spelled);
  return exact ? [exact] : all.filter(({ name }) => caseless(name) === caseless(spelled));
};

export const findCredential = async (cli: Cli, vaulted: Vaulted, wanted: string): Promise<Credential> => {
  const [found, another] = allCalled(await allCredentials(cli, vaulted), wanted);
  if (another) {
    throw new Failure('Two credentials have this name in another spelling.', {
      code: 'credential_ambiguous',
      hint: 'Spell it as "opslog credentials list" shows it.',
    });
  }
  if (found) return found;
  // What stands in the place of the name may be the value: it is not repeated.
  throw new Failure('The workspace has no credential of this name.', {
    code: 'credential_not_found',
    hint: '"opslog credentials list" shows those that there are.',
  });
};

/** The line that goes into authorized_keys, where there is one. */
export const publicKeyOf = ({ details }: Written): string | undefined =>
  details.kind === 'sshKey' ? details.publicKey : undefined;
