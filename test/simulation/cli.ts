import { bugs } from './bugs.ts';
import { findBug } from './findBug.ts';
import { runSeed } from './run.ts';

/** `npm run simulate -- --seed N | --seeds A..B [--bug name] [--trace]`, or `--bugs N`: each bug in N worlds at most. */
export const simulate = async (args: readonly string[]): Promise<number> => {
  const given = (name: string): string | undefined => {
    const place = args.indexOf(`--${name}`);
    return place < 0 ? undefined : args[place + 1];
  };
  if (args.includes('--bugs')) return tryBugs(Number(given('bugs') ?? 300), given('bug'));
  const [first = '1', last] = (given('seeds') ?? given('seed') ?? '1..100').split('..');
  const name = given('bug');
  const bug = bugs.find((each) => each.name === name);
  if (name !== undefined && !bug) {
    console.log(`There is no bug ${name}. Take one of: ${bugs.map((each) => each.name).join(', ')}`);
    return 2;
  }
  const started = performance.now();
  const broken: number[] = [];
  let events = 0;
  let virtualMs = 0;
  for (let seed = Number(first); seed <= Number(last ?? first); seed += 1) {
    const run = await runSeed(seed, bug);
    events += run.figures.events;
    virtualMs += run.figures.virtualMs;
    if (args.includes('--trace')) console.log(run.lines.join('\n'));
    if (args.includes('--trace') || last === undefined) console.log(`seed ${seed}: trace ${run.digest}`);
    if (!run.violation) continue;
    broken.push(seed);
    const { invariant, detail, atMs } = run.violation;
    console.log(`seed ${seed} breaks ${invariant} at ${atMs} ms: ${detail}`);
    console.log(`  again: npm run simulate -- --seed ${seed}${bug ? ` --bug ${bug.name}` : ''} --trace`);
  }
  const seconds = (performance.now() - started) / 1_000;
  const worlds = Number(last ?? first) - Number(first) + 1;
  console.log(
    `${worlds} worlds, ${events} facts, ${Math.round(virtualMs / 60_000)} minutes of their time in ${seconds.toFixed(1)} s; ${broken.length} broken`,
  );
  return broken.length === 0 ? 0 : 1;
};

const tryBugs = async (seeds: number, only: string | undefined): Promise<number> => {
  let hidden = 0;
  for (const bug of bugs.filter(({ name }) => only === undefined || name === only)) {
    const found = await findBug(bug, seeds);
    if (!found) hidden += 1;
    const where = found && `seed ${found.seed}: ${found.violation.invariant}: ${found.violation.detail}`;
    console.log(`${bug.name}: ${where ?? `not found in ${seeds} worlds`}`);
  }
  return hidden === 0 ? 0 : 1;
};
