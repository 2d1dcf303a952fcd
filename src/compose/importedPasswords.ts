import type { ImportedCost } from '../platform/password/port.ts';

const againAfterMs = 60_000;

/**
 * The highest cost of the imported password hashes that are still in use: what every sign-in then costs, whoever signs in.
 * Looked up behind the requests; an answer that does not come leaves the one of before.
 */
export const createImportedCost = (
  read: () => Promise<readonly string[]>,
  now: () => number,
): (() => ImportedCost | undefined) => {
  let known: ImportedCost | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  const look = (): void => {
    askedAt = now();
    read()
      .then((costs) => {
        known = costs.flatMap((text) => parse(text)).sort((left, right) => work(right) - work(left))[0];
      })
      .catch(() => undefined);
  };
  look();
  return () => {
    if (now() - askedAt >= againAfterMs) look();
    return known;
  };
};

const work = ({ ln, r, p }: ImportedCost): number => 2 ** ln * r * p;

const parse = (text: string): readonly ImportedCost[] => {
  const [, ln, r, p] = /^ln=(\d+),r=(\d+),p=(\d+)$/.exec(text) ?? [];
  return ln && r && p ? [{ ln: Number(ln), r: Number(r), p: Number(p) }] : [];
};
