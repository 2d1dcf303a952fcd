import { z } from 'zod';
import { answerOf } from '../../client/index.ts';
import { finishDeployment, waitArgs } from './finish.ts';
import { remoteCommand } from './remote.ts';
import { findTarget } from './target.ts';

const args = waitArgs.extend({ to: z.coerce.number().int().positive().optional() });

/** Puts an earlier revision back as it was built then. */
export const run = remoteCommand(args, async ({ to, wait, ...where }, cli) => {
  const target = await findTarget(cli, where);
  const admitted = await answerOf(
    target.client.POST('/workspaces/{workspaceId}/departments/{departmentId}/worker/rollback', {
      params: { path: target.path },
      body: to === undefined ? {} : { revision: to },
      signal: cli.signal,
    }),
  );
  await finishDeployment(cli, target, admitted, wait);
});
