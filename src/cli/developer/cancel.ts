import { z } from 'zod';
import { answerOf } from '../../client/index.ts';
import { remoteCommand } from './remote.ts';
import { findTicket, ticketArgs } from './ticket.ts';

const args = ticketArgs.extend({ giveUp: z.boolean().default(false) });

/** Cancels a deployment, or asks for it; one whose outcome is uncertain is ended with `--give-up` alone. */
export const run = remoteCommand(args, async ({ giveUp, ...where }, cli) => {
  const { client, ticketId } = await findTicket(cli, where);
  const { cancelled } = await answerOf(
    client.POST('/worker/deployments/{ticketId}/cancel', {
      params: { path: { ticketId } },
      body: giveUp ? { giveUp } : {},
      signal: cli.signal,
    }),
  );
  const outcome = cancelled
    ? `Deployment ${ticketId} is cancelled.`
    : `Cancelling deployment ${ticketId} was asked for.`;
  if (!cancelled) cli.note(`"opslog deployments show ${ticketId}" tells what became of it.`);
  cli.answer({ ok: true, ticketId, cancelled, giveUp }, outcome);
});
