import { follow } from './follow.ts';
import { remoteCommand } from './remote.ts';
import { findTicket, ticketArgs } from './ticket.ts';

/** Shows each step of a deployment as it happens, to its end. */
export const run = remoteCommand(ticketArgs, async (args, cli) => {
  const found = await findTicket(cli, args);
  const { ticketId, revision, kind, status, url, attempts, steps } = await follow(cli, found, found.ticketId);
  cli.note(`${cli.paint.green('Live')}: revision ${revision}`);
  cli.answer({ ok: true, ticketId, revision, kind, status, url, attempts, steps }, url ?? '');
});
