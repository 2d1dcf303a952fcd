import { setTimeout as sleep } from 'node:timers/promises';
import { projectFiles } from '../../../src/demo/project.ts';

/** One command of the work: the same key and body for ever, and what was first answered to it. */
export type Operation = {
  readonly key: string;
  readonly kind: 'submit' | 'deploy' | 'rollback' | 'pause' | 'resume';
  readonly path: string;
  readonly body: object;
  answer?: { readonly status: number; readonly body: Record<string, unknown> };
};

export type Department = {
  readonly path: string;
  readonly operations: Operation[];
  /** What the department has been told: revisions in the order they went live, and whether it is paused. */
  readonly live: number[];
  revisions: number;
  paused: boolean;
};

export type Server = {
  readonly url: string;
  readonly token: string;
  /** True once the whole run is over: nothing is waited for any more. */
  readonly over: () => boolean;
};

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

export const call = async (
  { url, token }: Server,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  return { status: response.status, body: record(await response.json()) };
};

/** Until it is answered for good: a connection that breaks and a server that is starting are tried again, same key. */
export const insist = async (server: Server, operation: Operation): Promise<void> => {
  for (;;) {
    const answer = await call(server, 'POST', operation.path, operation.body, {
      'idempotency-key': operation.key,
    }).catch(() => undefined);
    if (answer && answer.status < 500 && answer.status !== 429) {
      operation.answer = answer;
      return;
    }
    if (server.over()) throw new Error(`${operation.kind} was never answered`);
    await sleep(25);
  }
};

export const ticketStatus = async (server: Server, ticketId: string): Promise<string> => {
  const answer = await call(server, 'GET', `/worker/deployments/${ticketId}`).catch(() => undefined);
  return answer?.status === 200 ? String(answer.body['status']) : '';
};

export const isSettled = (status: string): boolean => ['completed', 'failed', 'cancelled'].includes(status);

const settle = async (server: Server, ticketId: string): Promise<void> => {
  while (!isSettled(await ticketStatus(server, ticketId))) {
    if (server.over()) return;
    await sleep(25);
  }
};

/** Works like the demo, over and over, in an order that `random` decides, until told to stop. */
export const work = async (
  server: Server,
  department: Department,
  random: () => number,
  stop: () => boolean,
): Promise<void> => {
  const perform = async (kind: Operation['kind'], path: string, body: object): Promise<Operation> => {
    const key = `${department.path}#${department.operations.length}`.replaceAll('/', '_');
    const operation: Operation = { key, kind, path: `${department.path}${path}`, body };
    department.operations.push(operation);
    await insist(server, operation);
    if ((operation.answer?.status ?? 0) >= 300) {
      throw new Error(`${kind} was answered ${operation.answer?.status}: ${JSON.stringify(operation.answer?.body)}`);
    }
    return operation;
  };
  const deploy = async (kind: 'deploy' | 'rollback', path: string): Promise<void> => {
    const { answer } = await perform(kind, path, {});
    department.live.push(Number(answer?.body['revision']));
    await settle(server, String(answer?.body['ticketId']));
  };
  while (!stop()) {
    const submitted = { files: projectFiles(department.revisions + 1), entryPoint: 'src/index.ts' };
    await perform('submit', '/revisions', { ...submitted, variables: { GREETING: 'Hello' } });
    department.revisions += 1;
    await deploy('deploy', '/deployments');
    if (department.live.length > 1 && random() < 0.5) await deploy('rollback', '/rollback');
    if (random() < 0.5) {
      await perform('pause', '/pause', {});
      department.paused = true;
      if (stop() && random() < 0.5) return;
      await perform('resume', '/resume', {});
      department.paused = false;
    }
  }
};
