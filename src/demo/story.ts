import { setTimeout as sleep } from 'node:timers/promises';
import { domain as domainSchema, domainTicket } from '../api/edgeDomainModels.ts';
import * as models from '../api/models.ts';
import type { Answer, Caller } from './caller.ts';
import { deploy, submit, type Ticket } from './deploying.ts';
import type { LostAnswer } from './lostAnswer.ts';
import type { Stage } from './stage.ts';

/** Says what is happening, a line at a time. */
export type Narrator = (line: string) => void;

export type Story = {
  readonly workspaceId: string;
  readonly departmentId: string;
  readonly workerUrl: string;
  readonly ticket: Ticket;
  /** The deployment whose outcome was uncertain for a while. */
  readonly uncertain: Ticket;
  readonly hostname: string;
  readonly answer: Answer;
  readonly revision: number;
  readonly timingsMs: { readonly submit: number; readonly deploy: number; readonly firstResponse: number };
};

export type Told = {
  readonly call: Caller;
  readonly say: Narrator;
  readonly stage: Stage;
  /** Undefined: nothing goes wrong. */
  readonly lostAnswer?: LostAnswer;
};

/** The main job from a signed-in person to a worker on the air, and what a department does with it afterwards. */
export const tellStory = async ({ call, say, stage, lostAnswer }: Told): Promise<Story> => {
  const run = Date.now().toString(36);
  const workspace = await call(models.workspace, 'POST', '/workspaces', { name: `Acme ${run}`, slug: `acme-${run}` });
  const workspaceId = workspace.body.id;
  say(`workspace   ${workspace.body.name} (${workspaceId})`);
  const departments = `/workspaces/${workspaceId}/departments`;
  const department = await call(models.department, 'POST', departments, { name: 'Logistics', slug: 'logistics' });
  const departmentId = department.body.id;
  say(`department  Logistics (${departmentId})`);
  const worker = `${departments}/${departmentId}/worker`;

  await keepSecret(call, say, worker, 'demo-key-0001');
  const first = await submit(call, say, worker, 1);
  const firstTicket = await deploy(call, say, `${worker}/deployments`, 'deployed revision 1');
  const workerUrl = firstTicket.ticket.url ?? '';
  await attach(call, say, worker, stage);
  const beforeCall = performance.now();
  const firstAnswer = await stage.look(workerUrl);
  const firstResponse = performance.now() - beforeCall;
  say(`worker      ${firstAnswer.status} ${firstAnswer.body}   (${firstResponse.toFixed(0)} ms)`);
  stage.expect(firstAnswer, 1, firstTicket.ticket.ticketId);
  stage.expect(await show(say, `at ${stage.hostname}`, stage.lookAtDomain(workerUrl)), 1, firstTicket.ticket.ticketId);

  await keepSecret(call, say, worker, 'demo-key-0002');
  await submit(call, say, worker, 2);
  if (lostAnswer) say('fault       the answer to the step that puts revision 2 on the air will be lost');
  lostAnswer?.arm();
  const second = await deploy(call, say, `${worker}/deployments`, 'deployed revision 2');
  if (lostAnswer) expectSettled(second.ticket);
  stage.expect(await show(say, 'worker', stage.look(workerUrl)), 2, second.ticket.ticketId);
  const rolledBack = await deploy(call, say, `${worker}/rollback`, 'rolled back to revision 1, with its secret');
  const { ticketId } = rolledBack.ticket;
  stage.expect(await show(say, 'worker', stage.look(workerUrl)), 1, ticketId);

  await call(models.worker, 'POST', `${worker}/pause`, {});
  const off = await until(
    () => stage.look(workerUrl),
    (answer) => isOff(stage, answer),
  );
  say(
    stage.provider === 'cloudflare'
      ? `paused      ${off.body}; at Cloudflare it answers 503`
      : `paused      the worker answers ${off.status}`,
  );
  await call(models.worker, 'POST', `${worker}/resume`, {});
  const answer = await until(
    () => stage.look(workerUrl),
    (found) => !isOff(stage, found),
  );
  say(`resumed     ${answer.status} ${answer.body}`);
  stage.expect(answer, 1, ticketId);
  return {
    ...{ workspaceId, departmentId, workerUrl, answer, ticket: rolledBack.ticket, revision: 1 },
    ...{ uncertain: second.ticket, hostname: stage.hostname },
    timingsMs: { submit: first.ms, deploy: firstTicket.ms, firstResponse },
  };
};

/** The stand-in runs nothing, so it says which version would answer: while paused it is one that answers 503. */
const isOff = ({ provider }: Stage, { status, body }: Answer): boolean =>
  provider === 'cloudflare' ? body.includes('opslog-paused') : status === 503;

const keepSecret = async (call: Caller, say: Narrator, worker: string, value: string): Promise<void> => {
  const { body } = await call(models.storedSecret, 'PUT', `${worker}/secrets/API_KEY`, { value });
  say(`secret      API_KEY version ${body.version} sealed; all that is shown of it is its digest ${body.digest}`);
};

const attach = async (call: Caller, say: Narrator, worker: string, { hostname }: Stage): Promise<void> => {
  const asked = await call(domainTicket, 'POST', `${worker}/domains`, { hostname });
  say(`domain      ${hostname} claimed`);
  for (;;) {
    const { body } = await call(domainSchema, 'GET', asked.body.statusUrl);
    if (body.status === 'attached') {
      say(`domain      ${hostname} attached`);
      return;
    }
    if (body.status === 'refused') throw new Error(`${hostname} was refused: ${body.refusal?.reason ?? ''}`);
    await sleep(20);
  }
};

const expectSettled = ({ steps }: Ticket): void => {
  const uncertain = steps.findIndex(({ outcome }) => outcome === 'uncertain');
  const settled = steps.slice(uncertain + 1).some(({ mode, outcome }) => mode === 'probe' && outcome === 'done');
  if (uncertain < 0 || !settled) throw new Error('A lost answer should have been settled by looking.');
};

const show = async (say: Narrator, what: string, looking: Promise<Answer>): Promise<Answer> => {
  const answer = await looking;
  say(`${what.padEnd(11)} ${answer.status} ${answer.body}`);
  return answer;
};

const until = async (look: () => Promise<Answer>, isSo: (answer: Answer) => boolean): Promise<Answer> => {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const answer = await look();
    if (isSo(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`The worker still answers ${answer.status} ${answer.body}.`);
    await sleep(20);
  }
};
