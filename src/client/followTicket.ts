import type { Client } from 'openapi-fetch';
import type { components, paths } from './api.ts';
import { sleep } from './patience.ts';
import { OpslogProblem, OpslogUnreachable, problemIn } from './problem.ts';

export type Deployment = components['schemas']['DeploymentWithSteps'];
export type DeploymentStep = Deployment['steps'][number];

export type FollowOptions = {
  /** Each step once, in the order in which they happened. */
  readonly onStep?: (step: DeploymentStep, deployment: Deployment) => void;
  /** After every look. */
  readonly onLook?: (deployment: Deployment) => void;
  readonly signal?: AbortSignal;
};

export const isSettled = ({ status }: Pick<Deployment, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

const shortestMs = 50;
const longestMs = 1_000;

/** Looks at a deployment until it is settled, more and more slowly, and answers how it ended. Throws as `answerOf` does. */
export const followTicket = async (
  client: Client<paths>,
  ticketId: string,
  { onStep, onLook, signal }: FollowOptions = {},
): Promise<Deployment> => {
  let seen = 0;
  for (let waitMs = shortestMs; ; waitMs = Math.min(longestMs, waitMs * 1.3)) {
    const deployment = await look(client, ticketId, signal);
    const fresh = deployment.steps.filter(({ sequence }) => sequence > seen);
    for (const step of fresh.toSorted((a, b) => a.sequence - b.sequence)) {
      seen = step.sequence;
      waitMs = shortestMs;
      onStep?.(step, deployment);
    }
    onLook?.(deployment);
    if (isSettled(deployment)) return deployment;
    await sleep(waitMs, signal);
  }
};

const look = async (client: Client<paths>, ticketId: string, signal: AbortSignal | undefined): Promise<Deployment> => {
  const { data, error, response } = await client.GET('/worker/deployments/{ticketId}', {
    params: { path: { ticketId } },
    ...(signal && { signal }),
  });
  if (data) return data;
  const problem = problemIn(error);
  if (problem) throw new OpslogProblem(problem);
  throw new OpslogUnreachable(`The server answered ${response.status} to a question about a deployment.`);
};
