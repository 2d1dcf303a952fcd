import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { callWorker } from '../../../src/demo/caller.ts';
import { call, type Department, insist, isSettled, type Server, ticketStatus } from './department.ts';

export type Findings = {
  readonly revisions: number;
  readonly deployments: number;
  /** Acknowledged commands whose effect is not there, or whose repetition is answered differently. */
  readonly lost: readonly string[];
  /** Deployments that neither settled nor succeeded. */
  readonly stuck: readonly string[];
  /** Revisions or deployments that are there more often than they were asked for. */
  readonly duplicated: readonly string[];
  /** Workers that do not answer as they should by now. */
  readonly wrongAnswers: readonly string[];
  readonly tablesEqualLog: boolean;
  readonly strayProcesses: number;
};

type World = {
  readonly server: Server;
  readonly departments: readonly Department[];
  readonly dataDir: string;
  readonly edgePort: number;
};

/** Everything that was acknowledged against everything that is there. */
export const check = async ({ server, departments, dataDir }: World): Promise<Findings> => {
  const lost: string[] = [];
  const stuck: string[] = [];
  const duplicated: string[] = [];
  const wrongAnswers: string[] = [];
  let revisions = 0;
  let deployments = 0;
  for (const department of departments) {
    lost.push(...(await repeatAll(server, department)));
    stuck.push(...(await unsettled(server, department)));
    const ladder = (await listAll(server, `${department.path}/revisions`))
      .map((row) => Number(row['revision']))
      .sort(byNumber);
    const asked = department.operations.filter(({ kind }) => kind === 'submit').length;
    if (ladder.join() !== Array.from({ length: asked }, (_, index) => index + 1).join()) {
      duplicated.push(`revisions ${ladder.join()} where ${asked} were asked for`);
    }
    revisions += ladder.length;
    const tickets = await listAll(server, `${department.path}/deployments`);
    const askedTickets = department.operations.filter(({ kind }) => kind === 'deploy' || kind === 'rollback').length;
    if (tickets.length !== askedTickets)
      duplicated.push(`${tickets.length} deployments where ${askedTickets} were asked for`);
    deployments += tickets.length;
    wrongAnswers.push(...(await misbehaving(server, department)));
  }
  const tablesEqualLog = await verify(dataDir);
  return { revisions, deployments, lost, stuck, duplicated, wrongAnswers, tablesEqualLog, strayProcesses: 0 };
};

const byNumber = (left: number, right: number): number => left - right;

/** The same key again must be answered the same: the first answer was given before some crash, this one after the last. */
const repeatAll = async (server: Server, department: Department): Promise<string[]> => {
  const lost: string[] = [];
  for (const operation of department.operations) {
    const { answer: first, ...again } = operation;
    if (!first || operation.kind === 'pause' || operation.kind === 'resume') continue;
    const repeated = { ...again };
    await insist(server, repeated);
    const second = 'answer' in repeated ? repeated.answer : undefined;
    if (JSON.stringify(second) !== JSON.stringify(first)) {
      lost.push(`${operation.kind} ${operation.key}: ${JSON.stringify(first)} became ${JSON.stringify(second)}`);
    }
  }
  return lost;
};

const unsettled = async (server: Server, department: Department): Promise<string[]> => {
  const stuck: string[] = [];
  const deadline = Date.now() + 60_000;
  for (const { answer } of department.operations) {
    const ticketId = answer?.body['ticketId'];
    if (typeof ticketId !== 'string') continue;
    let status = await ticketStatus(server, ticketId);
    while (!isSettled(status) && Date.now() < deadline) {
      await sleep(50);
      status = await ticketStatus(server, ticketId);
    }
    if (status !== 'completed') stuck.push(`${ticketId} is ${status}`);
  }
  return stuck;
};

const listAll = async (server: Server, path: string): Promise<Record<string, unknown>[]> => {
  const rows: Record<string, unknown>[] = [];
  for (let cursor = ''; ; ) {
    const page = await call(server, 'GET', `${path}?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    if (page.status !== 200 || !Array.isArray(page.body['items'])) throw new Error(`${path}: ${JSON.stringify(page)}`);
    rows.push(...page.body['items']);
    cursor = typeof page.body['next'] === 'string' ? page.body['next'] : '';
    if (cursor === '') return rows;
  }
};

const misbehaving = async (server: Server, department: Department): Promise<string[]> => {
  const { body } = await call(server, 'GET', department.path);
  const url = String(body['url']);
  const expected = department.paused
    ? { status: 503, text: '' }
    : { status: 200, text: `"revision":${department.live.at(-1)}` };
  const deadline = Date.now() + 20_000;
  for (;;) {
    const answer = await callWorker(url, '/?name=x').catch(() => ({ status: 0, body: '' }));
    if (answer.status === expected.status && answer.body.includes(expected.text)) return [];
    if (Date.now() > deadline) return [`${url}: ${answer.status} ${answer.body}, expected ${JSON.stringify(expected)}`];
    await sleep(50);
  }
};

const program = fileURLToPath(new URL('../../../bin/opslog.mjs', import.meta.url));

/** The operator's own proof, against the running server. */
const verify = async (dataDir: string): Promise<boolean> => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    'audit',
    'verify',
    '--json',
    '--data',
    dataDir,
  ]);
  return JSON.parse(stdout).ok === true;
};
