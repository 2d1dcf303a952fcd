import { answerOf, type components, type Deployment, isSettled } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { plain } from '../paint.ts';
import { remoteCommand } from './remote.ts';
import { findTarget, targetArgs } from './target.ts';

export const run = remoteCommand(targetArgs, async (args, cli) => {
  const { client, path, url } = await findTarget(cli, args);
  const worker = await answerOf(
    client.GET('/workspaces/{workspaceId}/departments/{departmentId}/worker', { params: { path }, signal: cli.signal }),
  );
  const ticketId = worker.deployment?.ticketId;
  const deployment =
    ticketId === undefined
      ? null
      : await answerOf(
          client.GET('/worker/deployments/{ticketId}', { params: { path: { ticketId } }, signal: cli.signal }),
        );
  cli.answer(
    { ok: true, server: url, worker, deployment },
    [...workerLines(worker), ...ticketLines(deployment, cli)].join('\n'),
  );
});

type Worker = components['schemas']['Worker'];

const statusWords = { draft: 'never deployed', active: 'on the air', paused: 'paused: answers 503' } as const;

export const workerLines = ({ scriptName, status, liveRevision, newestRevision, url }: Worker): readonly string[] => [
  `worker      ${scriptName}`,
  `status      ${statusWords[status]}`,
  `revision    ${liveRevision ?? 'none'} live, ${newestRevision} newest`,
  `url         ${url ?? 'none'}`,
];

export const deploymentLine = (deployment: Deployment, { paint }: Cli): string => {
  const { kind, revision, status, attempts, updatedAt } = deployment;
  const tint = status === 'completed' ? paint.green : isSettled(deployment) ? paint.red : paint.yellow;
  return `deployment  ${kind ?? ''} of revision ${revision ?? ''}: ${tint(status)} (attempt ${attempts}, ${updatedAt})`;
};

const ticketLines = (deployment: Deployment | null, cli: Cli): readonly string[] => {
  if (!deployment) return [];
  const { ticketId, reason, next } = deployment;
  return [
    deploymentLine(deployment, cli),
    `ticket      ${ticketId}`,
    ...(reason ? [`reason      ${plain(reason)}`] : []),
    ...(next ? [`next        ${plain(next.description)}${next.at ? ` (${next.at})` : ''}`] : []),
  ];
};
