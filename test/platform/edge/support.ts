import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openFolderStore } from '../../../src/platform/artifacts/folderStore.ts';
import type { ArtifactStore } from '../../../src/platform/artifacts/port.ts';
import { systemClock } from '../../../src/platform/clock/system.ts';
import type {
  EdgeProvider,
  FencingToken,
  NodeProvider,
  StepOutcome,
  WorkerSpec,
} from '../../../src/platform/edge/port.ts';
import {
  createWorkerdProvider,
  type Transition,
  type WorkerdProviderOptions,
  type WorkerLogLine,
} from '../../../src/platform/edge/workerd/index.ts';
import { processStart } from '../../../src/platform/edge/workerd/leftovers.ts';
import { silentLog } from '../../../src/platform/log/port.ts';

export type TestNode = {
  readonly provider: NodeProvider;
  readonly artifacts: ArtifactStore;
  readonly dataDir: string;
  readonly transitions: Transition[];
  readonly lines: WorkerLogLine[];
};

export const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'opslog-edge-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** A provider on a folder of its own (or a given one), closed at the end of the test. */
export const openNode = async (
  options: Partial<WorkerdProviderOptions> & { readonly dataDir?: string } = {},
): Promise<TestNode> => {
  const dataDir = options.dataDir ?? (await newFolder());
  const artifacts = options.artifacts ?? (await openFolderStore(join(dataDir, 'artifacts')));
  const transitions: Transition[] = [];
  const lines: WorkerLogLine[] = [];
  const provider = await createWorkerdProvider({
    log: silentLog,
    clock: systemClock,
    onTransition: (transition) => transitions.push(transition),
    onLog: (line) => lines.push(line),
    ...options,
    dataDir: join(dataDir, 'node'),
    artifacts,
  });
  onTestFinished(() => provider.close());
  return { provider, artifacts, dataDir, transitions, lines };
};

export const newScriptName = (): string => `dw-${randomBytes(24).toString('hex')}`;

/** A revision of a worker whose bundle is in the store. */
export const revisionOf = async (
  { artifacts }: Pick<TestNode, 'artifacts'>,
  scriptName: string,
  revision: number,
  source: string,
  more: Partial<WorkerSpec> = {},
): Promise<WorkerSpec> => ({
  workspaceId: 'workspace',
  departmentId: 'department',
  workerId: scriptName,
  scriptName,
  versionId: randomUUID(),
  revision,
  bundleDigest: (await artifacts.put(Buffer.from(source))).digest,
  compatibilityDate: '2026-01-01',
  compatibilityFlags: [],
  variables: {},
  secrets: [],
  schedules: [],
  ...more,
});

export const never = new AbortController().signal;
export const newTicket = (attempt = 1): FencingToken => ({ ticketId: randomUUID(), attempt });

/** Performs all steps; stops at the first that is not done and answers its outcome. */
export const deploy = async (
  provider: EdgeProvider,
  spec: WorkerSpec,
  token: FencingToken = newTicket(),
): Promise<StepOutcome & { readonly step: string }> => {
  let last: StepOutcome & { readonly step: string } = { outcome: 'done', detail: '', step: '' };
  for (const step of provider.steps) {
    last = { ...(await provider.perform(step, spec, token, never)), step };
    if (last.outcome !== 'done') return last;
  }
  return last;
};

export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string };
export type CallOptions = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
  readonly agent?: Agent;
  readonly timeoutMs?: number;
  readonly host?: string;
};

/** One HTTP request through the router, by address, with the worker's host name in the header. */
export const call = (
  provider: EdgeProvider,
  scriptName: string,
  path = '/',
  options: CallOptions = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const url = new URL(provider.url(scriptName));
    const outgoing = request({
      host: '127.0.0.1',
      port: url.port,
      path,
      method: options.method ?? 'GET',
      headers: { Host: options.host ?? url.host, ...options.headers },
      agent: options.agent ?? false,
      signal: AbortSignal.timeout(options.timeoutMs ?? 10_000),
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    outgoing.end(options.body);
  });

/** Waits until the condition holds, looking again and again; fails with what was awaited. */
export const until = async (
  awaited: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 15_000,
): Promise<void> => {
  const end = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`Not within ${withinMs} ms: ${awaited}`);
    await systemClock.sleep(20);
  }
};

/** Pids of the worker processes that the node has recorded as its own. */
export const runningPids = ({ dataDir }: Pick<TestNode, 'dataDir'>): readonly number[] => {
  const runs = join(dataDir, 'node', 'run');
  return readdirSync(runs).flatMap((name) => {
    const file = join(runs, name, 'pid');
    return existsSync(file) ? [Number(readFileSync(file, 'utf8'))] : [];
  });
};

export const isAlive = (pid: number): boolean => processStart(pid) !== undefined;

export const spinningAtStart = 'while (true) {} export default {};';

export const answering = (text: string): string =>
  `export default { fetch() { return new Response(${JSON.stringify(text)}); } };`;
