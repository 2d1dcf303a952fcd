import type { z } from 'zod';
import { OpslogProblem, OpslogUnreachable } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { type CommandRun, command } from '../command.ts';
import { exitCodes } from '../exitCodes.ts';
import { Failure } from '../failure.ts';

/** A command that talks to an Opslog: what the server says becomes a message, a code and an exit code. */
export const remoteCommand = <Schema extends z.ZodType>(
  schema: Schema,
  work: (args: z.output<Schema>, cli: Cli) => Promise<void>,
): CommandRun =>
  command(schema, async (args, cli) => {
    try {
      await work(args, cli);
    } catch (error) {
      throw explained(error);
    }
  });

const hints: Readonly<Record<string, string>> = {
  authentication_required: 'Run "opslog login" to get a new one.',
  credentials_invalid: 'Check address and password.',
  password_change_required: 'Run "opslog password".',
  role_insufficient: 'Ask an administrator of the workspace for a higher role.',
  edge_worker_paused: 'Run "opslog resume" first.',
  edge_workers_maintenance: 'Maintenance is under way; try again later.',
  edge_worker_not_found: 'Run "opslog deploy" first.',
  secret_not_found: 'Store it with "opslog secrets set <name>".',
  ssh_key_invalid: 'Check the file; a passphrase is given with --passphrase-file.',
  secret_in_use: 'Use --force to remove it all the same.',
  rollback_target_missing: 'Nothing was live before; "opslog status" shows what is.',
};

const explained = (error: unknown): unknown => {
  if (error instanceof OpslogUnreachable) {
    return new Failure(error.message, {
      code: 'unreachable',
      exitCode: exitCodes.unreachable,
      hint: 'Check the address (--url, OPSLOG_URL) and that Opslog runs there.',
    });
  }
  if (!(error instanceof OpslogProblem)) return error;
  const { problem } = error;
  const { detail, code, errors = [] } = problem;
  const faults = errors.map(({ pointer, detail: fault }) => `\n  ${pointer}: ${fault}`).join('');
  // What the server says of headers is for whoever writes a client.
  const message = code === 'authentication_required' ? 'The session is over or the token is not valid.' : detail;
  const hint = code === 'deployment_alive' ? aliveHint(problem.details?.['ticketId']) : hints[code];
  return new Failure(`${message}${faults}`, { code, more: { problem }, ...(hint !== undefined && { hint }) });
};

const aliveHint = (ticketId: string | number | undefined): string =>
  `Wait for deployment ${ticketId ?? ''} to end; "opslog deployments show" explains it, "opslog deploy --supersede" ` +
  'takes the place of one that waits.';
