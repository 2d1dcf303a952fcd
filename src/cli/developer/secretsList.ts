import { answerOf, type components } from '../../client/index.ts';
import { plain } from '../paint.ts';
import { remoteCommand } from './remote.ts';
import { findTarget, targetArgs } from './target.ts';

type Secret = components['schemas']['Secret'];

export const run = remoteCommand(targetArgs, async (args, cli) => {
  const { client, path } = await findTarget(cli, args);
  const secrets: Secret[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: { limit: string; cursor?: string } = { limit: '200', ...(cursor !== '' && { cursor }) };
    const page: { items: Secret[]; next: string | null } = await answerOf(
      client.GET('/workspaces/{workspaceId}/departments/{departmentId}/worker/secrets', {
        params: { path, query },
        signal: cli.signal,
      }),
    );
    secrets.push(...page.items);
    cursor = page.next;
  }
  cli.answer({ ok: true, secrets }, secrets.length === 0 ? 'No secrets.' : secrets.map(lineOf).join('\n'));
});

const lineOf = ({ name, version, liveVersion, digest, storedAt }: Secret): string => {
  const live = liveVersion === null ? 'not read by the live revision' : `the live revision reads ${liveVersion}`;
  return `${plain(name)}  version ${version}, ${live}  ${digest}  ${storedAt}`;
};
