import { answerOf } from '../../client/index.ts';
import { remoteCommand } from './remote.ts';
import { workerLines } from './status.ts';
import { findTarget, targetArgs } from './target.ts';

export const run = remoteCommand(targetArgs, async (args, cli) => {
  const { client, path } = await findTarget(cli, args);
  const worker = await answerOf(
    client.POST('/workspaces/{workspaceId}/departments/{departmentId}/worker/pause', {
      params: { path },
      signal: cli.signal,
    }),
  );
  cli.answer({ ok: true, worker }, ['Paused.', ...workerLines(worker)].join('\n'));
});
