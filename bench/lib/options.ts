import { parseArgs } from 'node:util';

export const benchmarks = ['B1', 'B3', 'B4', 'B5', 'B6', 'B7', 'B8', 'FLOOD', 'PAST'] as const;
export type Benchmark = (typeof benchmarks)[number];

export type Options = {
  readonly quick: boolean;
  readonly json: boolean;
  readonly only: ReadonlySet<Benchmark>;
  /** How long the run may wait for a quiet machine in all. */
  readonly patientMinutes: number;
};

const isBenchmark = (name: string): name is Benchmark => benchmarks.some((each) => each === name);

export const usage = `npm run bench -- [options]

  --quick            shorter loops, 3 repetitions instead of 5
  --only B1,FLOOD    these alone, of: ${benchmarks.join(', ')}
  --json             the figures as one JSON document on standard output
  --patient MINUTES  wait so long in all for a quiet machine
  --help             this text

BENCH_PROFILE=<folder> writes a CPU profile of every process there. What is measured against what: docs/benchmarks.md
`;

/** What the arguments ask for, or why they cannot be read. */
export const readOptions = (args: readonly string[]): Options | 'help' | { readonly problem: string } => {
  const parsed = parsedOf(args);
  if ('problem' in parsed) return parsed;
  if (parsed.help === true) return 'help';
  const asked = parsed.only?.split(',').map((name) => name.trim().toUpperCase()) ?? [...benchmarks];
  const unknown = asked.filter((name) => !isBenchmark(name));
  if (unknown.length > 0)
    return { problem: `There is no benchmark ${unknown.join(', ')}: choose from ${benchmarks.join(', ')}.` };
  const patientMinutes = Number(parsed.patient);
  if (!(patientMinutes >= 0)) return { problem: '--patient takes minutes.' };
  return {
    patientMinutes,
    quick: parsed.quick === true,
    json: parsed.json === true,
    only: new Set(asked.filter(isBenchmark)),
  };
};

const parsedOf = (args: readonly string[]) => {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean' },
        quick: { type: 'boolean' },
        json: { type: 'boolean' },
        only: { type: 'string' },
        patient: { type: 'string', default: '0' },
      },
    });
    return values;
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
};
