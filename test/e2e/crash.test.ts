import { expect, test } from 'vitest';
import { runCrashes } from './crash/run.ts';

const kills = Number(process.env['OPSLOG_CRASH_KILLS'] ?? 4);
const seed = Number(process.env['OPSLOG_CRASH_SEED'] ?? (kills > 4 ? Date.now() % 1_000_000 : 7));

test(
  `kill -9 of the whole program at ${kills} random moments loses nothing acknowledged, doubles nothing and leaves nothing stuck`,
  async () => {
    const counts = await runCrashes({ kills, seed, say: (line) => process.stderr.write(`${line}\n`) });
    process.stderr.write(`${JSON.stringify(counts)}\n`);
    expect(counts).toMatchObject({
      ...{ lost: [], stuck: [], duplicated: [], wrongAnswers: [] },
      ...{ tablesEqualLog: true, strayProcesses: 0 },
    });
    expect(counts.deployments).toBeGreaterThan(0);
  },
  120_000 + kills * 20_000,
);
