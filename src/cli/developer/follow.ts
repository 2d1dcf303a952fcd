import { type Deployment, type DeploymentStep, followTicket } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { Failure } from '../failure.ts';
import { plain } from '../paint.ts';
import type { Target } from './target.ts';

/** Shows each step of a deployment as it happens; throws when it does not end well. */
export const follow = async (cli: Cli, { client }: Target, ticketId: string): Promise<Deployment> => {
  const { paint } = cli;
  cli.signal.addEventListener('abort', () => cli.note('The deployment goes on; "opslog status" shows how it ends.'), {
    once: true,
  });
  const settled = await followTicket(client, ticketId, {
    signal: cli.signal,
    onStep: (step) => cli.note(stepLine(step, cli)),
    onLook: ({ status, next }) => cli.status(paint.dim(`  ${status}${next ? ` · ${plain(next.description)}` : ''}`)),
  });
  if (settled.status === 'completed') return settled;
  const { status, reason, reasonCode, revision } = settled;
  throw new Failure(`Deployment of revision ${revision} ${status}: ${reason ?? reasonCode ?? 'no reason was given'}`, {
    code: reasonCode ?? `deployment_${status}`,
    hint: 'What was live before is still live.',
    more: { deployment: settled },
  });
};

const stepLine = ({ step, outcome, detail, durationMs, attempt }: DeploymentStep, { paint }: Cli): string => {
  const marks = {
    done: paint.green('✓'),
    refused: paint.red('✗'),
    retry: paint.yellow('↻'),
    uncertain: paint.yellow('?'),
  };
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  const said = detail ? `  ${paint.dim(plain(detail))}` : '';
  return `  ${marks[outcome]} ${plain(step)}${again}  ${paint.dim(`${Math.round(durationMs)} ms`)}${said}`;
};
