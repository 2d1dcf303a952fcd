import { z } from 'zod';
import { answerOf, createClient, type OpslogClient } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { Failure } from '../failure.ts';
import { findServer } from './server.ts';
import { findTarget, targetArgs } from './target.ts';

export const ticketArgs = targetArgs.extend({ ticket: z.string().optional() });
export type Ticket = { readonly client: OpslogClient; readonly ticketId: string };

/** The ticket that was named, or else the newest of the worker in this folder. */
export const findTicket = async (cli: Cli, { ticket, ...where }: z.output<typeof ticketArgs>): Promise<Ticket> => {
  if (ticket !== undefined) {
    const { url, token } = await findServer(cli, where.url);
    return { client: createClient({ url, token }), ticketId: ticket };
  }
  const { client, path } = await findTarget(cli, where);
  const worker = await answerOf(
    client.GET('/workspaces/{workspaceId}/departments/{departmentId}/worker', { params: { path }, signal: cli.signal }),
  );
  if (worker.deployment) return { client, ticketId: worker.deployment.ticketId };
  throw new Failure('This worker has never been deployed.', {
    code: 'deployment_missing',
    hint: 'Run "opslog deploy" first.',
  });
};
