import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { openedSession } from '../api/models.ts';
import { sha256 } from '../commands/envelope.ts';
import { type RunningOpslog, startOpslog } from '../compose.ts';
import { type Config, readConfig } from '../config.ts';
import { edgeWorkerId } from '../domain/identifiers.ts';
import { openDatabase } from '../platform/database/database.ts';
import { createLog } from '../platform/log/pino.ts';
import { verifyAudit } from '../projections/audit/verify.ts';
import { type Caller, createCaller } from './caller.ts';
import { createLostAnswer, type LostAnswer } from './lostAnswer.ts';
import { machineStage, type Stage, standInStage } from './stage.ts';
import { type StandIn, startStandIn } from './standIn.ts';
import { type Narrator, type Story, tellStory } from './story.ts';

export type DemoOptions = {
  /** End after the story, in a temporary folder that is removed; otherwise stay up until the signal. */
  readonly exit: boolean;
  /** With `cloudflare`, against a stand-in for Cloudflare's API that runs on this machine. */
  readonly provider: 'workerd' | 'cloudflare';
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly say: Narrator;
  /** Called once, with how it went, before staying up. */
  readonly answer: (result: DemoResult) => void;
};

export type DemoResult = {
  readonly ok: boolean;
  readonly reason?: string;
  readonly worker?: { readonly url: string; readonly status: number; readonly body: string; readonly revision: number };
  readonly ticket?: Story['ticket'];
  readonly uncertain?: Story['ticket'];
  readonly hostname?: string;
  readonly auditVerified?: boolean;
  readonly readTablesEqualLog?: boolean;
  readonly timingsMs?: { readonly start: number } & Story['timingsMs'];
};

/** The main job, end to end, on everything embedded. What goes wrong is in the answer; closing leaves nothing behind. */
export const runDemo = async (options: DemoOptions): Promise<void> => {
  const { exit, env, say, signal } = options;
  const folder = exit ? await mkdtemp(join(tmpdir(), 'opslog-demo-')) : (env['OPSLOG_DATA_DIR'] ?? './demo-data');
  let opslog: RunningOpslog | undefined;
  let standIn: StandIn | undefined;
  let result: DemoResult;
  try {
    const begun = performance.now();
    if (options.provider === 'cloudflare') standIn = await openStandIn(say);
    const config = await demoConfig(options, folder, standIn);
    const lostAnswer = createLostAnswer();
    opslog = await startOpslog(config, { logger: createLog(config.logLevel), outside: lostAnswer.around });
    const stage = standIn ? standInStage(standIn.frontDoorUrl) : machineStage;
    result = await play({ opslog, config, stage, lostAnswer, say, start: performance.now() - begun });
  } catch (error) {
    result = { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
  options.answer(result);
  if (opslog && result.ok && !exit) await stayUp(opslog, result.worker?.url ?? '', folder, say, signal);
  await opslog?.close();
  await standIn?.close();
  if (exit) await rm(folder, { recursive: true, force: true });
};

const zone = 'acme.test';

const openStandIn = async (say: Narrator): Promise<StandIn> => {
  const standIn = await startStandIn(zone);
  say(
    `stand-in    ${standIn.baseUrl} answers in place of Cloudflare. It is a server on this machine that keeps state and`,
  );
  say('            refuses as Cloudflare does; it runs no worker, but says which version would answer.');
  return standIn;
};

type Play = {
  readonly opslog: RunningOpslog;
  readonly config: Config;
  readonly stage: Stage;
  readonly lostAnswer: LostAnswer;
  readonly say: Narrator;
  readonly start: number;
};

const play = async ({ opslog, config, stage, lostAnswer, say, start }: Play): Promise<DemoResult> => {
  say(`started     API ${opslog.url}, edge ${opslog.edgeUrl}   (${start.toFixed(0)} ms)`);
  const credentials = { email: config.admin.email, password: config.admin.password };
  const session = await createCaller(opslog.url)(openedSession, 'POST', '/auth/sessions', credentials);
  say(`signed in   ${config.admin.email}`);
  const call = createCaller(opslog.url, session.body.token);
  const story = await tellStory({ call, say, stage, lostAnswer });
  await showTrail(opslog, call, story, say);
  const { database, log, tables, decode } = opslog.parts;
  const openScratch = () => openDatabase('pglite:memory');
  const proof = await verifyAudit({ database, log, tables, decode, openScratch, at: await log.head() });
  say(`audit       ${proof.chain.ok ? 'hash chain holds' : 'HASH CHAIN BROKEN'}, ${proof.chain.entries} entries`);
  say(
    `read tables ${proof.tables.ok ? 'equal a fresh replay of the log' : 'DIFFER FROM THE LOG'}, ${proof.tables.compared} tables`,
  );
  const { workerUrl: url, answer, revision, ticket, uncertain, hostname, timingsMs } = story;
  const ok = proof.chain.ok && proof.tables.ok;
  return {
    ok,
    ...(!ok && { reason: 'The audit trail or the read tables do not agree with the log.' }),
    worker: { url, ...answer, revision },
    ticket,
    uncertain,
    hostname,
    auditVerified: proof.chain.ok,
    readTablesEqualLog: proof.tables.ok,
    timingsMs: rounded({ start, ...timingsMs }),
  };
};

const rounded = <Timings extends { readonly start: number } & Story['timingsMs']>(timings: Timings) => ({
  start: Math.round(timings.start),
  submit: Math.round(timings.submit),
  deploy: Math.round(timings.deploy),
  firstResponse: Math.round(timings.firstResponse),
});

const auditPage = z.object({
  items: z.array(z.object({ sequence: z.number(), action: z.string(), hash: z.string(), createdAt: z.string() })),
});

/** The audit trail as the API shows it, and the facts in the log behind it. */
const showTrail = async (opslog: RunningOpslog, call: Caller, story: Story, say: Narrator): Promise<void> => {
  const { log } = opslog.parts;
  const position = (await log.head()).toString();
  const path = `/workspaces/${story.workspaceId}/audit?limit=8`;
  const { body } = await call(auditPage, 'GET', path, undefined, { 'opslog-wait-for': position });
  say('audit trail (newest first)');
  for (const entry of body.items) {
    say(
      `  ${String(entry.sequence).padStart(4)}  ${entry.createdAt}  ${entry.action.padEnd(36)} ${entry.hash.slice(0, 12)}…`,
    );
  }
  const stream = `edgeWorker-${edgeWorkerId(sha256, story.departmentId)}`;
  say(`log         ${stream}`);
  for await (const event of log.readStream(stream)) {
    say(`  ${String(event.revision).padStart(4)}  @${event.position}  ${event.type}`);
  }
};

const stayUp = async (
  opslog: RunningOpslog,
  workerUrl: string,
  folder: string,
  say: Narrator,
  signal: AbortSignal,
): Promise<void> => {
  say('');
  say(`worker      ${workerUrl}/?name=Ada`);
  say(`API         ${opslog.url}   documentation ${opslog.url}/docs`);
  say(`data        ${folder}   password of the administrator: ${join(folder, 'demo-password')}`);
  say('Ctrl-C ends it; the next run goes on with the same folder.');
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
};

const demoConfig = async ({ env, exit }: DemoOptions, folder: string, standIn?: StandIn): Promise<Config> => {
  const parsed = readConfig({
    ...env,
    ...(standIn && {
      OPSLOG_EDGE_PROVIDER: 'cloudflare',
      CLOUDFLARE_API_URL: standIn.baseUrl,
      CLOUDFLARE_ACCOUNT_ID: standIn.accountId,
      CLOUDFLARE_API_TOKEN: standIn.token,
    }),
    OPSLOG_DATA_DIR: folder,
    OPSLOG_ADMIN_PASSWORD: env['OPSLOG_ADMIN_PASSWORD'] ?? (await passwordOf(folder)),
    OPSLOG_LOG_LEVEL: env['OPSLOG_LOG_LEVEL'] ?? 'warn',
    OPSLOG_PORT: env['OPSLOG_PORT'] ?? (exit ? '0' : await freePort(8080)),
    OPSLOG_EDGE_PORT: env['OPSLOG_EDGE_PORT'] ?? (exit ? '0' : await freePort(8788)),
  });
  if (!parsed.ok) throw new Error(`The environment is not right: ${parsed.problems.join('; ')}`);
  return parsed.config;
};

/** Made at the first run and kept beside the data, for its owner alone. */
const passwordOf = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'demo-password');
  const made = randomBytes(15).toString('base64url');
  await writeFile(file, made, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return readFile(file, 'utf8');
};

const freePort = (preferred: number): Promise<string> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve('0'));
    probe.listen(preferred, '127.0.0.1', () => probe.close(() => resolve(String(preferred))));
  });
