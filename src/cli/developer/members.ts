import { answerOf, type components, type OpslogClient } from '../../client/index.ts';
import type { Cli } from '../cli.ts';

export type Member = components['schemas']['Member'];

export const allMembers = async (cli: Cli, client: OpslogClient, workspaceId: string): Promise<readonly Member[]> => {
  const members: Member[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: { limit: string; cursor?: string } = { limit: '200', ...(cursor !== '' && { cursor }) };
    const page: { items: Member[]; next: string | null } = await answerOf(
      client.GET('/workspaces/{workspaceId}/members', {
        params: { path: { workspaceId }, query },
        signal: cli.signal,
      }),
    );
    members.push(...page.items);
    cursor = page.next;
  }
  return members;
};
