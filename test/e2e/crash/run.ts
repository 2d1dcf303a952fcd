import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, type Program, processesNaming, startProgram } from '../../support/program.ts';
import { check, type Findings } from './check.ts';
import { call, type Department, type Server, work } from './department.ts';

export type CrashCounts = Findings & {
  readonly seed: number;
  readonly kills: number;
  readonly killsWhileStarting: number;
  readonly commandsAcknowledged: number;
  readonly slowestRecoveryMs: number;
};

/** mulberry32: small, and the same numbers for the same seed. */
const createRandom = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

const password = 'correct horse battery';

/** Kills the whole program at random moments of the demo's work, then checks that nothing acknowledged was lost. */
export const runCrashes = async (options: {
  readonly kills: number;
  readonly seed: number;
  readonly settings?: Readonly<Record<string, string>>;
  readonly say: (line: string) => void;
}): Promise<CrashCounts> => {
  const { kills, seed, say } = options;
  const random = createRandom(seed);
  const dataDir = await mkdtemp(join(tmpdir(), 'opslog-crash-'));
  const settings = {
    OPSLOG_DATA_DIR: dataDir,
    OPSLOG_PORT: String(await freePort()),
    OPSLOG_EDGE_PORT: String(await freePort()),
    OPSLOG_ADMIN_PASSWORD: password,
    OPSLOG_REQUESTS_PER_SECOND: '100000',
    OPSLOG_WORKSPACE_REQUESTS_PER_SECOND: '100000',
    ...options.settings,
  };
  let program: Program = startProgram(settings);
  let stopped = false;
  let over = false;
  try {
    await program.ready();
    const server = await signIn(program.url, () => over);
    const departments = await createDepartments(server, 2);
    const working = Promise.all(departments.map((each) => work(server, each, random, () => stopped)));
    // A violation that the work itself runs into ends the run at once.
    let failure: unknown;
    working.catch((error: unknown) => {
      failure = error;
    });
    const counts = { killsWhileStarting: 0, slowestRecoveryMs: 0 };
    for (let kill = 1; kill <= kills && failure === undefined; kill += 1) {
      const whileStarting = random() < 0.2;
      if (whileStarting) counts.killsWhileStarting += 1;
      else {
        const begun = performance.now();
        await program.ready();
        if (kill > 1) counts.slowestRecoveryMs = Math.max(counts.slowestRecoveryMs, performance.now() - begun);
      }
      await sleep(random() * 1_500);
      await program.kill('SIGKILL');
      say(`kill ${kill} of ${kills}${whileStarting ? ' (while starting)' : ''}`);
      program = startProgram(settings);
    }
    stopped = true;
    await Promise.race([
      working,
      sleep(120_000).then(() => Promise.reject(new Error('The work does not come to an end.'))),
    ]);
    const findings = await check({ server, departments, dataDir, edgePort: Number(settings.OPSLOG_EDGE_PORT) });
    await program.kill('SIGTERM');
    const strays = processesNaming(dataDir).length;
    const operations = departments.flatMap((each) => each.operations);
    return {
      ...{ seed, kills, ...counts, commandsAcknowledged: operations.filter((each) => each.answer).length },
      ...findings,
      strayProcesses: strays,
    };
  } catch (error) {
    say(program.errors());
    throw error;
  } finally {
    over = true;
    await program.kill('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  }
};

const signIn = async (url: string, over: () => boolean): Promise<Server> => {
  const nobody: Server = { url, token: '', over };
  const session = await call(nobody, 'POST', '/auth/sessions', { email: 'admin@opslog.local', password });
  return { url, token: String(session.body['token']), over };
};

const createDepartments = async (server: Server, count: number): Promise<Department[]> => {
  const workspace = await call(server, 'POST', '/workspaces', { name: 'Crash', slug: 'crash' });
  const base = `/workspaces/${workspace.body['id']}/departments`;
  const departments: Department[] = [];
  for (let index = 1; index <= count; index += 1) {
    const created = await call(server, 'POST', base, { name: `D${index}`, slug: `d${index}` });
    const path = `${base}/${created.body['id']}/worker`;
    departments.push({ path, operations: [], live: [], revisions: 0, paused: false });
  }
  return departments;
};
