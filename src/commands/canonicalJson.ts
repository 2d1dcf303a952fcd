/** JSON with sorted keys and no spaces: the same data, the same text. Takes plain JSON data. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`);
  return `{${members.join(',')}}`;
};
