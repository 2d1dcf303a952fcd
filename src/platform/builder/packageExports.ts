export type Json = { readonly [key: string]: unknown };

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Looks a subpath (`.`, `./sub`, or `#name` for imports) up in the `exports` or `imports` field of a package.json.
 * Answers a path relative to the package such as `./dist/a.js` (for imports it may be another package), or undefined
 * when the package doesn't offer it.
 */
export const lookUpSubpath = (field: unknown, subpath: string, conditions: ReadonlySet<string>): string | undefined => {
  const map = isRecord(field) && Object.keys(field).some((key) => key.startsWith('.') || key.startsWith('#'));
  if (!map) return subpath === '.' ? chooseTarget(field, '', conditions) : undefined;
  if (Object.hasOwn(field, subpath) && !subpath.includes('*')) return chooseTarget(field[subpath], '', conditions);
  const pattern = bestPattern(Object.keys(field), subpath);
  if (pattern === undefined) return undefined;
  const [before = '', after = ''] = pattern.split('*');
  const star = subpath.slice(before.length, subpath.length - after.length);
  return chooseTarget(field[pattern], star, conditions);
};

/** The pattern with the longest part before its star wins, then the longest over all. */
const bestPattern = (keys: readonly string[], subpath: string): string | undefined =>
  keys
    .filter((key) => {
      const [before = '', after = '', more] = key.split('*');
      const fits = subpath.startsWith(before) && subpath.endsWith(after);
      return key.includes('*') && more === undefined && fits && subpath.length > before.length + after.length;
    })
    .toSorted((a, b) => b.indexOf('*') - a.indexOf('*') || b.length - a.length)[0];

const chooseTarget = (target: unknown, star: string, conditions: ReadonlySet<string>): string | undefined => {
  if (typeof target === 'string') return target.replaceAll('*', () => star);
  if (Array.isArray(target)) return firstOf(target, star, conditions);
  if (!isRecord(target)) return undefined;
  // The package's own order decides among the conditions that hold.
  const held = Object.keys(target).filter((condition) => condition === 'default' || conditions.has(condition));
  return firstOf(
    held.map((condition) => target[condition]),
    star,
    conditions,
  );
};

const firstOf = (targets: readonly unknown[], star: string, conditions: ReadonlySet<string>): string | undefined => {
  for (const target of targets) {
    const found = chooseTarget(target, star, conditions);
    if (found !== undefined) return found;
    // An explicit null forbids the subpath; later targets must not offer it after all.
    if (target === null) return undefined;
  }
  return undefined;
};
