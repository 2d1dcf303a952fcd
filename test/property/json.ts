/** JSON as it is written, so that it can say what no value says: a member twice, `-0`, `1e400`, half a surrogate pair. */
export type Json =
  | { readonly raw: string }
  | { readonly list: readonly Json[] }
  | { readonly members: readonly Member[] };
export type Member = readonly [name: string, value: Json];

export const write = (json: Json): string => {
  if ('raw' in json) return json.raw;
  if ('list' in json) return `[${json.list.map(write).join(',')}]`;
  return `{${json.members.map(([name, value]) => `${JSON.stringify(name)}:${write(value)}`).join(',')}}`;
};

/** Of anything that JSON.stringify takes. */
export const jsonOf = (value: unknown): Json => {
  if (Array.isArray(value)) return { list: value.map(jsonOf) };
  if (typeof value !== 'object' || value === null) return { raw: JSON.stringify(value) };
  return { members: Object.entries(value).map(([name, each]) => [name, jsonOf(each)]) };
};

export const sizeOf = (json: Json): number => {
  if ('raw' in json) return 1;
  const inside = 'list' in json ? json.list : json.members.map(([, value]) => value);
  return inside.reduce((sum, each) => sum + sizeOf(each), 1);
};

/** A copy in which `change` was made to one place; places are counted as they are written, from 0. */
export const changed = (json: Json, place: number, change: (at: Json) => Json): Json => {
  if (place <= 0) return change(json);
  if ('raw' in json) return json;
  let before = place - 1;
  const inside = (each: Json): Json => {
    const size = sizeOf(each);
    const made = before >= 0 && before < size ? changed(each, before, change) : each;
    before -= size;
    return made;
  };
  if ('list' in json) return { list: json.list.map(inside) };
  return { members: json.members.map(([name, value]): Member => [name, inside(value)]) };
};
