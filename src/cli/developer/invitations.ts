import { z } from 'zod';
import { answerOf, type components, done } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { Failure } from '../failure.ts';
import { plain } from '../paint.ts';
import { remoteCommand } from './remote.ts';
import { findWorkspaceTarget, workspaceArgs } from './workspaceTarget.ts';

type Invitation = components['schemas']['Invitation'];
type Reached = Awaited<ReturnType<typeof findWorkspaceTarget>>;

/** Those that somebody can still accept. */
const openOnes = async ({ signal }: Cli, { client, path }: Reached): Promise<readonly Invitation[]> => {
  const invitations: Invitation[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: { limit: string; cursor?: string } = { limit: '200', ...(cursor !== '' && { cursor }) };
    const page: { items: Invitation[]; next: string | null } = await answerOf(
      client.GET('/workspaces/{workspaceId}/invitations', { params: { path, query }, signal }),
    );
    invitations.push(...page.items.filter(({ status }) => status === 'open'));
    cursor = page.next;
  }
  return invitations;
};

const lineOf = ({ id, role, email, departmentIds, expiresAt }: Invitation): string => {
  const where = departmentIds.length === 0 ? '' : `  in ${departmentIds.join(', ')}`;
  return `${id}  ${role.padEnd(6)}  ${plain(email)}  until ${expiresAt}${where}`;
};

export const list = {
  run: remoteCommand(workspaceArgs, async (args, cli) => {
    const invitations = await openOnes(cli, await findWorkspaceTarget(cli, args));
    const text = invitations.length === 0 ? 'No open invitations.' : invitations.map(lineOf).join('\n');
    cli.answer({ ok: true, invitations }, text);
  }),
};

export const revoke = {
  run: remoteCommand(workspaceArgs.extend({ email: z.string() }), async ({ email, ...where }, cli) => {
    const target = await findWorkspaceTarget(cli, where);
    const wanted = email.trim().toLowerCase();
    const found = (await openOnes(cli, target)).filter((each) => each.email === wanted || each.id === wanted);
    if (found.length === 0) {
      const hint = 'Run "opslog members invitations" to see which are open.';
      throw new Failure(`There is no open invitation to ${email}.`, { code: 'invitation_not_found', hint });
    }
    for (const { id: invitationId } of found)
      await done(
        target.client.DELETE('/workspaces/{workspaceId}/invitations/{invitationId}', {
          ...{ params: { path: { ...target.path, invitationId } }, signal: cli.signal },
        }),
      );
    const ids = found.map(({ id }) => id);
    cli.answer(
      { ok: true, invitations: ids },
      `Revoked ${ids.length === 1 ? 'the invitation' : `${ids.length} invitations`}.`,
    );
  }),
};
