import { setTimeout as sleep } from 'node:timers/promises';
import { type AttackPlan, attackNames } from './lib/attacks.ts';
import { expectAllAnswered } from './lib/checks.ts';
import type { Context } from './lib/context.ts';
import { getRequest } from './lib/httpClient.ts';
import { openLoop, type Target } from './lib/load.ts';
import {
  enter,
  enterAnother,
  openEmbeddedLog,
  pauseAndResume,
  seedWorkers,
  startOpslog,
  untilReady,
} from './lib/opslog.ts';
import { freePort, peer, start } from './lib/processes.ts';
import { repeat } from './lib/repeat.ts';
import { type Figure, figureOf, type Section } from './lib/report.ts';
import { onPostgres, postgresScratch, whyMissing } from './lib/services.ts';
import { percentile } from './lib/stats.ts';

const connections = 64;
const rate = 100;
const workers = 200;

/** How slow one tenant becomes by what another asks without end: limits of the default configuration. */
export const measureFlood = async (context: Context): Promise<Omit<Section, 'disturbance' | 'seconds'>> => {
  const { quick } = context;
  const noPostgres = await whyMissing('PostgreSQL');
  const database = noPostgres === '' ? await postgresScratch() : undefined;
  if (database) context.onEnd(database.drop);
  const eventStorePort = String(await freePort());
  const opslog = await startOpslog(context, 'flood', {
    OPSLOG_ROLES: 'api,projector',
    OPSLOG_EVENTSTORE_PORT: eventStorePort,
    OPSLOG_REQUESTS_PER_SECOND: '200',
    OPSLOG_WORKSPACE_REQUESTS_PER_SECOND: '500',
    ...(database && { DATABASE_URL: database.url }),
  });
  await untilReady(opslog);
  const tenant = await enter(opslog);
  const log = await openEmbeddedLog(context, 'flood', eventStorePort);
  const seeded = await seedWorkers(opslog, tenant, log, workers);
  // The planner should know the tables as it does after some minutes of a real life.
  if (database) await onPostgres('analyze', database.url);
  const other = await enterAnother(opslog, tenant.session, 16);

  const commands = pauseAndResume(opslog.port, tenant, seeded, (index) => `flood-command-${index}`);
  let asked = 0;
  const ours: Target = {
    port: opslog.port,
    next: () => {
      asked += 1;
      const read = getRequest(`/workspaces/${tenant.workspaceId}/departments?limit=20`, tenant.token);
      return asked % 2 === 0 ? read : commands.next();
    },
  };
  const loop = { rate, seconds: quick ? 10 : 15 };
  const measure = async (seed: number): Promise<readonly number[]> => {
    const result = await openLoop(ours, { ...loop, seed });
    expectAllAnswered('the quiet tenant', result);
    return result.latencies;
  };
  /** In a process of its own, so that it is not what keeps the one that measures waiting. */
  const beginAttack = async (name: string, tokens: readonly string[]) => {
    const plan: AttackPlan = { ...other, name, tokens, port: opslog.port, connections };
    const attacker = start(peer('attacker'), [JSON.stringify(plan)]);
    context.onEnd(() => attacker.stop());
    await attacker.firstLine;
    attacker.child.send('begin');
    return {
      stop: async (): Promise<string> => {
        const told = new Promise<string>((resolve) => attacker.child.once('message', (line) => resolve(String(line))));
        attacker.child.send('end');
        const answers = await told;
        await attacker.stop();
        return answers;
      },
    };
  };
  await openLoop(ours, { ...loop, seed: 1 });

  const figures: Figure[] = [];
  for (const attack of attackNames) {
    for (const tokens of [other.tokens.slice(0, 1), other.tokens]) {
      const notes: string[] = [];
      const rounds = await repeat(context, quick ? 3 : 5, async (repetition) => {
        const alone = await measure(100 + repetition);
        const attacker = await beginAttack(attack, tokens);
        const besieged = await measure(100 + repetition);
        notes.push(await attacker.stop());
        // The buckets fill again, so that each round begins with the burst that is allowed.
        await sleep(3_000);
        return { alone, besieged };
      });
      const at = (share: number) => ({
        ours: rounds.map(({ besieged }) => percentile(besieged, share)),
        bare: rounds.map(({ alone }) => percentile(alone, share)),
      });
      const name = `beside ${attack}, ${tokens.length === 1 ? 'one token' : `${tokens.length} tokens`}`;
      const against = 'alone';
      const floor = { text: '≤ 2 ×', holds: (_: number, ratio: number) => ratio <= 2 };
      figures.push(
        figureOf({ benchmark: 'FLOOD', figure: `p50 ${name}`, unit: 'ms' }, at(0.5), { against }),
        figureOf({ benchmark: 'FLOOD', figure: `p99 ${name}`, unit: 'ms' }, at(0.99), {
          ...{ against, floor },
          note: `told the other tenant, by round: ${notes.join(' | ')}`,
        }),
      );
    }
  }
  return {
    benchmark: 'FLOOD',
    title: 'one tenant while another asks without end',
    terms: [
      `the quiet tenant: ${rate}/s in an open loop, half of them lists and half of them commands (pause and resume of ${workers} workers)`,
      `the other one: ${connections} connections in a closed loop from a process of its own, which heed no answer and begin at the same moment`,
      'limits of the default configuration: 200/s for a token, 500/s for a workspace',
      noPostgres === '' ? 'read tables in PostgreSQL' : 'read tables in PGlite',
    ],
    figures,
    skipped: [],
  };
};
