import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import * as models from '../api/models.ts';
import { type Caller, callWorker } from './caller.ts';
import { projectFiles } from './project.ts';

export type Ticket = z.output<typeof models.deploymentWithSteps>;
export type Answer = { readonly status: number; readonly body: string };

/** Says what is happening, a line at a time. */
export type Narrator = (line: string) => void;

export type Story = {
  readonly workspaceId: string;
  readonly departmentId: string;
  readonly workerUrl: string;
  readonly ticket: Ticket;
  readonly answer: Answer;
  readonly revision: number;
  readonly timingsMs: { readonly submit: number; readonly deploy: number; readonly firstResponse: number };
};

/** The main job from a signed-in person to a worker on the air, and what a department does with it afterwards. */
export const tellStory = async (call: Caller, say: Narrator): Promise<Story> => {
  const run = Date.now().toString(36);
  const workspace = await call(models.workspace, 'POST', '/workspaces', { name: `Acme ${run}`, slug: `acme-${run}` });
  const workspaceId = workspace.body.id;
  say(`workspace   ${workspace.body.name} (${workspaceId})`);
  const departments = `/workspaces/${workspaceId}/departments`;
  const department = await call(models.department, 'POST', departments, { name: 'Logistics', slug: 'logistics' });
  const departmentId = department.body.id;
  say(`department  Logistics (${departmentId})`);
  const worker = `${departments}/${departmentId}/worker`;

  const first = await submit(call, say, worker, 1);
  const firstTicket = await deploy(call, say, `${worker}/deployments`, 'deployed revision 1');
  const workerUrl = firstTicket.ticket.url ?? '';
  const beforeCall = performance.now();
  const firstAnswer = await callWorker(workerUrl, '/?name=Ada');
  const firstResponse = performance.now() - beforeCall;
  say(`worker      ${firstAnswer.status} ${firstAnswer.body}   (${firstResponse.toFixed(0)} ms)`);
  expectRevision(firstAnswer, 1);

  await submit(call, say, worker, 2);
  await deploy(call, say, `${worker}/deployments`, 'deployed revision 2');
  expectRevision(await show(say, workerUrl), 2);
  const rolledBack = await deploy(call, say, `${worker}/rollback`, 'rolled back to revision 1');
  expectRevision(await show(say, workerUrl), 1);

  await call(models.worker, 'POST', `${worker}/pause`, {});
  say(`paused      the worker answers ${(await until(workerUrl, 503)).status}`);
  await call(models.worker, 'POST', `${worker}/resume`, {});
  const answer = await until(workerUrl, 200);
  say(`resumed     ${answer.status} ${answer.body}`);
  expectRevision(answer, 1);
  return {
    ...{ workspaceId, departmentId, workerUrl, answer, ticket: rolledBack.ticket, revision: 1 },
    timingsMs: { submit: first.ms, deploy: firstTicket.ms, firstResponse },
  };
};

const submit = async (call: Caller, say: Narrator, worker: string, revision: number): Promise<{ ms: number }> => {
  const begun = performance.now();
  const files = projectFiles(revision);
  const body = { files, entryPoint: 'src/index.ts', language: 'typescript', variables: { GREETING: 'Hello' } };
  const submitted = await call(models.submittedRevision, 'POST', `${worker}/revisions`, body);
  const ms = performance.now() - begun;
  const { bundleDigest, bundleBytes, sbomDigest } = submitted.body;
  say(
    `submitted   revision ${submitted.body.revision}: ${files.length} files, bundle ${bundleBytes} bytes   (${ms.toFixed(0)} ms)`,
  );
  say(
    `evidence    bundle sha256 ${bundleDigest.slice(0, 16)}…  sbom sha256 ${sbomDigest.slice(0, 16)}…  receipt signed`,
  );
  return { ms };
};

const deploy = async (
  call: Caller,
  say: Narrator,
  path: string,
  done: string,
): Promise<{ ticket: Ticket; ms: number }> => {
  const begun = performance.now();
  const admitted = await call(models.admittedDeployment, 'POST', path, {});
  const { ticketId, statusUrl } = admitted.body;
  say(`ticket      ${ticketId}`);
  let shown = 0;
  for (;;) {
    const { body: ticket } = await call(models.deploymentWithSteps, 'GET', statusUrl, undefined, {
      'opslog-wait-for': admitted.position,
    });
    for (const step of ticket.steps.slice(shown))
      say(`  step      ${step.step.padEnd(8)} ${step.outcome}  ${step.durationMs} ms`);
    shown = ticket.steps.length;
    if (ticket.status === 'completed') {
      const ms = performance.now() - begun;
      say(`${done}   (${ms.toFixed(0)} ms)`);
      return { ticket, ms };
    }
    if (ticket.status === 'failed' || ticket.status === 'cancelled') {
      throw new Error(`Deployment ${ticketId} ${ticket.status}: ${ticket.reason ?? 'no reason given'}`);
    }
    await sleep(20);
  }
};

const show = async (say: Narrator, workerUrl: string): Promise<Answer> => {
  const answer = await callWorker(workerUrl, '/?name=Ada');
  say(`worker      ${answer.status} ${answer.body}`);
  return answer;
};

const until = async (workerUrl: string, status: number): Promise<Answer> => {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const answer = await callWorker(workerUrl, '/?name=Ada');
    if (answer.status === status) return answer;
    if (Date.now() > deadline) throw new Error(`The worker answers ${answer.status}, not ${status}.`);
    await sleep(10);
  }
};

const expectRevision = (answer: Answer, revision: number): void => {
  if (answer.status !== 200 || !answer.body.includes(`"revision":${revision}`)) {
    throw new Error(`The worker should answer with revision ${revision}; it answered ${answer.status} ${answer.body}`);
  }
};
