import { type Deployment, type DeploymentStep, followTicket } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { Failure } from '../failure.ts';
import { plain } from '../paint.ts';
import { explanationLines } from './explain.ts';
import type { Target } from './target.ts';

/** Shows each step of a deployment as it happens; throws when it does not end well. */
export const follow = async (cli: Cli, { client }: Pick<Target, 'client'>, ticketId: string): Promise<Deployment> => {
  const { paint } = cli;
  // How many steps there were when it was last explained: each look at what is uncertain adds one.
  let explained = 0;
  cli.signal.addEventListener('abort', () => cli.note('The deployment goes on; "opslog status" shows how it ends.'), {
    once: true,
  });
  const settled = await followTicket(client, ticketId, {
    signal: cli.signal,
    onStep: (step) => cli.note(stepLine(step, cli)),
    onLook: (deployment) => {
      const { status, next, steps } = deployment;
      if (status === 'uncertain' && steps.length > explained) {
        explained = steps.length;
        for (const line of explanationLines(deployment, cli)) cli.note(`    ${line}`);
      }
      cli.status(paint.dim(`  ${status}${next ? ` · ${plain(next.description)}` : ''}`));
    },
  });
  if (settled.status === 'completed') return settled;
  for (const line of explanationLines(settled, cli)) cli.note(`    ${line}`);
  const { status, reason, reasonCode, revision } = settled;
  throw new Failure(`Deployment of revision ${revision} ${status}: ${reason ?? reasonCode ?? 'no reason was given'}`, {
    code: reasonCode ?? `deployment_${status}`,
    hint: reasonCode === 'given_up' ? 'What runs now is not known.' : 'What was live before is still live.',
    more: { deployment: settled },
  });
};

export const stepLine = (
  { step, mode, outcome, detail, durationMs, attempt }: DeploymentStep,
  { paint }: Cli,
): string => {
  const marks = {
    done: paint.green('✓'),
    refused: paint.red('✗'),
    retry: paint.yellow('↻'),
    uncertain: paint.yellow('?'),
  };
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  const said = detail ? `  ${paint.dim(plain(detail))}` : '';
  return `  ${marks[outcome]} ${mode === 'probe' ? 'look at ' : ''}${plain(step)}${again}  ${paint.dim(`${Math.round(durationMs)} ms`)}${said}`;
};
