import { createHash } from 'node:crypto';

/** Everything observable that happens in a world, in order, as lines; the digest is over all of them. */
export type Trace = {
  add(line: string): void;
  readonly lines: readonly string[];
  /** SHA-256, hex. */
  digest(): string;
};

export const createTrace = (now: () => number, start: number): Trace => {
  const lines: string[] = [];
  return {
    lines,
    add: (line) => void lines.push(`${now() - start} ${line}`),
    digest: () => createHash('sha256').update(lines.join('\n')).digest('hex'),
  };
};
