import { z } from 'zod';
import { createClient, type OpslogClient } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { findServer } from './server.ts';
import { findWorkspace } from './target.ts';

export const workspaceArgs = z.object({ workspace: z.string().default(''), url: z.string().optional() });

/** Filters of the audit trail, by the names that the API gives them. */
export const auditFilters = z.object({
  actorId: z.string().optional(),
  action: z.string().optional(),
  resourceType: z.string().optional(),
  resourceId: z.string().optional(),
  requestId: z.string().optional(),
  correlationId: z.string().optional(),
  status: z.enum(['success', 'failure', 'refused']).optional(),
  riskLevel: z.enum(['low', 'medium', 'high']).optional(),
  from: z.string().optional(),
  to: z.string().optional(),
});

/** What is undefined is no parameter. */
export const given = <Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } => {
  const present: { [Name in keyof Fields]?: NonNullable<Fields[Name]> } = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined && value !== null) present[name] = value;
  }
  return present;
};

export const findWorkspaceTarget = async (
  cli: Cli,
  { workspace, url: wanted }: z.output<typeof workspaceArgs>,
): Promise<{ readonly client: OpslogClient; readonly path: { readonly workspaceId: string } }> => {
  const { url, token } = await findServer(cli, wanted);
  const client = createClient({ url, token });
  return { client, path: { workspaceId: await findWorkspace(cli, client, workspace) } };
};
