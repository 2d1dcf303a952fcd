/** JSON with sorted keys and no white space: the same value, the same text. Undefined members are left out. */
export const canonicalJson = (value: unknown): string => {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  return Array.isArray(value) ? arrayJson(value) : objectJson(value);
};

// Called for every event that is projected: loops and concatenation, because closures and lists cost several times more.
const arrayJson = (values: readonly unknown[]): string => {
  let text = '';
  for (const value of values) text += text === '' ? canonicalJson(value) : `,${canonicalJson(value)}`;
  return `[${text}]`;
};

const objectJson = (value: object): string => {
  const members: [string, unknown][] = Object.entries(value);
  if (!isSorted(members)) members.sort(([a], [b]) => (a < b ? -1 : 1));
  let text = '';
  for (const [key, member] of members) {
    if (member === undefined) continue;
    if (text !== '') text += ',';
    text += `${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
};

const isSorted = (members: readonly (readonly [string, unknown])[]): boolean => {
  let last = '';
  for (const [key] of members) {
    if (key < last) return false;
    last = key;
  }
  return true;
};
