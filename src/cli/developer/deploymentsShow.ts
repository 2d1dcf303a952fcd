import { answerOf, type Deployment } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { explanationLines } from './explain.ts';
import { stepLine } from './follow.ts';
import { remoteCommand } from './remote.ts';
import { deploymentLine } from './status.ts';
import { findTicket, ticketArgs } from './ticket.ts';

/** One deployment: its steps, why it stands where it does, and what can be done. */
export const run = remoteCommand(ticketArgs, async (args, cli) => {
  const { client, ticketId } = await findTicket(cli, args);
  const deployment = await answerOf(
    client.GET('/worker/deployments/{ticketId}', { params: { path: { ticketId } }, signal: cli.signal }),
  );
  cli.answer({ ok: true, deployment }, linesOf(deployment, cli).join('\n'));
});

const linesOf = (deployment: Deployment, cli: Cli): readonly string[] => [
  deploymentLine(deployment, cli),
  `ticket      ${deployment.ticketId}`,
  ...explanationLines(deployment, cli),
  ...deployment.steps.map((step) => stepLine(step, cli)),
];
