import { z } from 'zod';
import type { components } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { follow } from './follow.ts';
import { type Target, targetArgs } from './target.ts';

export const waitArgs = targetArgs.extend({ wait: z.boolean() });

/** Follows an admitted deployment to its end, or says which ticket to look at when nobody wants to wait. */
export const finishDeployment = async (
  cli: Cli,
  target: Target,
  { ticketId, revision, kind }: components['schemas']['AdmittedDeployment'],
  wait: boolean,
): Promise<void> => {
  cli.note(`Deployment ${ticketId} of revision ${revision}`);
  if (!wait) {
    cli.answer({ ok: true, ticketId, revision, kind, status: 'pending', url: null }, ticketId);
    return;
  }
  const { url, status, attempts, steps } = await follow(cli, target, ticketId);
  cli.note(`${cli.paint.green('Live')}: revision ${revision}`);
  cli.answer({ ok: true, ticketId, revision, kind, status, url, attempts, steps }, url ?? '');
};
