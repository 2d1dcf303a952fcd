import { mkdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { measureCommands } from './b1.ts';
import { measureCatchUp } from './b3.ts';
import { measureRebuild } from './b4.ts';
import { measureLatency } from './b5.ts';
import { measureQueue } from './b6.ts';
import { measureAudit } from './b7.ts';
import { measureFootprint } from './b8.ts';
import { measureFlood } from './flood.ts';
import { type Context, createContext } from './lib/context.ts';
import { describeMachine, isDisturbed, tolerated, watchMachine } from './lib/machine.ts';
import { type Benchmark, benchmarks, readOptions, usage } from './lib/options.ts';
import { worstOf } from './lib/repeat.ts';
import { renderReport, type Section } from './lib/report.ts';
import { measurePast } from './past.ts';

const measures: Readonly<Record<Benchmark, (context: Context) => Promise<Omit<Section, 'disturbance' | 'seconds'>>>> = {
  B1: measureCommands,
  B3: measureCatchUp,
  B4: measureRebuild,
  B5: measureLatency,
  B6: measureQueue,
  B7: measureAudit,
  B8: measureFootprint,
  FLOOD: measureFlood,
  PAST: measurePast,
};

const options = readOptions(process.argv.slice(2));
if (options === 'help') {
  process.stdout.write(usage);
  process.exit(0);
}
if ('problem' in options) {
  process.stderr.write(`${options.problem}\n\n${usage}`);
  process.exit(2);
}
const context = await createContext(options);
const stopOn = (signal: NodeJS.Signals): void => {
  process.once(signal, () => void context.end().then(() => process.exit(130)));
};
stopOn('SIGINT');
stopOn('SIGTERM');

/** What the machine does while this run does nothing. */
const idle = watchMachine();
await sleep(1_000);
const before = { ...idle(), loadAverages: loadavg() };

const sections: Section[] = [];
try {
  for (const benchmark of benchmarks) {
    if (!options.only.has(benchmark)) continue;
    context.say(`${benchmark} …`);
    const startedAt = performance.now();
    context.disturbances.length = 0;
    const section = await measures[benchmark](context);
    sections.push({
      ...section,
      disturbance: worstOf(context.disturbances),
      seconds: (performance.now() - startedAt) / 1_000,
    });
  }
} finally {
  await context.end();
}

const result = {
  at: new Date().toISOString(),
  quick: options.quick,
  machine: describeMachine(),
  before,
  tolerated,
  disturbed: sections.some(({ disturbance }) => isDisturbed(disturbance)),
  figures: sections.flatMap(({ figures }) => figures),
  sections: sections.map(({ figures: _, ...rest }) => rest),
};
await mkdir('bench/results', { recursive: true });
await writeFile(`bench/results/${result.at.replaceAll(':', '-')}.json`, `${JSON.stringify(result, null, 2)}\n`);
process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : `${renderReport(sections)}\n`);
