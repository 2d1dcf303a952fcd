/** JSON with sorted keys and no white space: the same value, the same text. Undefined members are left out. */
export const canonicalJson = (value: unknown): string => {
  if (typeof value === 'bigint') return value.toString();
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  return Array.isArray(value) ? arrayJson(value) : objectJson(value);
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

// Called for every event that is projected: loops and concatenation, because closures and lists cost several times more.
const arrayJson = (values: readonly unknown[]): string => {
  let text = '';
  for (const value of values) text += text === '' ? canonicalJson(value) : `,${canonicalJson(value)}`;
  return `[${text}]`;
};

const objectJson = (value: Readonly<Record<string, unknown>>): string => {
  const names = Object.keys(value);
  if (!isSorted(names)) names.sort();
  let text = '';
  for (const name of names) {
    const member = value[name];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${quoted(name)}${canonicalJson(member)}`;
  }
  return `{${text}}`;
};

const isSorted = (names: readonly string[]): boolean => {
  let last = '';
  for (const name of names) {
    if (name < last) return false;
    last = name;
  }
  return true;
};

// Field names come again and again; names that callers invent do not fill the memory.
const known = new Map<string, string>();
const maxKnown = 2_000;

/** A name as JSON has it, with its colon. */
const quoted = (name: string): string => {
  const found = known.get(name);
  if (found !== undefined) return found;
  const text = `${JSON.stringify(name)}:`;
  if (known.size < maxKnown) known.set(name, text);
  return text;
};
