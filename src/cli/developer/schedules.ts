import { answerOf } from '../../client/index.ts';
import { plain } from '../paint.ts';
import { remoteCommand } from './remote.ts';
import { findTarget, targetArgs } from './target.ts';

export const run = remoteCommand(targetArgs, async (args, cli) => {
  const { client, path } = await findTarget(cli, args);
  const found = await answerOf(
    client.GET('/workspaces/{workspaceId}/departments/{departmentId}/worker/schedules', {
      params: { path },
      signal: cli.signal,
    }),
  );
  const lines = found.schedules.map(
    ({ cron, timeZone, next }) => `${plain(cron)}  ${plain(timeZone)}  next ${next.join(', ') || 'never'}`,
  );
  const firings = found.lastFirings.map(
    ({ scheduledFor, cron, status, detail }) => `  ${scheduledFor}  ${plain(cron)}  ${status}  ${plain(detail ?? '')}`,
  );
  const off = found.firing ? [] : ['The worker is not on the air: nothing fires now.'];
  const none = lines.length === 0 ? ['The live revision has no schedules.'] : [];
  cli.answer({ ok: true, ...found }, [...off, ...none, ...lines, ...firings].join('\n'));
});
