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

/** Throws, with what is possible, when the arguments cannot be read. */
export const readOptions = (args: readonly string[]): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean' },
      json: { type: 'boolean' },
      only: { type: 'string' },
      patient: { type: 'string', default: '0' },
    },
  });
  const asked = values.only?.split(',').map((name) => name.trim().toUpperCase()) ?? [...benchmarks];
  const unknown = asked.filter((name) => !isBenchmark(name));
  if (unknown.length > 0)
    throw new Error(`There is no benchmark ${unknown.join(', ')}: choose from ${benchmarks.join(', ')}.`);
  const patientMinutes = Number(values.patient);
  if (!(patientMinutes >= 0)) throw new Error('--patient takes minutes.');
  return {
    patientMinutes,
    quick: values.quick === true,
    json: values.json === true,
    only: new Set(asked.filter(isBenchmark)),
  };
};
