/** `isCut`: the text may end in the middle of a value. */
export type Redact = (text: string, isCut?: boolean) => string;

const mask = '***';
/** Shorter values are too common to be masked. */
const shortest = { variable: 6, secret: 4 } as const;

/** A value as it looks in a plain line, in JSON or an inspected object, in a URL and in a form. */
const spellings = (value: string): readonly string[] => {
  const json = JSON.stringify(value).slice(1, -1);
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  return [value, json, json.replaceAll('\\"', '"'), encodeURIComponent(value), form];
};

/**
 * Hex of a value, and base64 of it, alone or wherever it stands in something longer, such as credentials of Basic authentication: those
 * digits that only depend on the value, for each of the three places at which it can begin.
 */
const encodings = (value: string): readonly string[] => {
  const bytes = Buffer.from(value, 'utf8');
  const inside = [0, 1, 2].map((before) => {
    const placed = Buffer.concat([Buffer.alloc(before), bytes]);
    return placed.toString('base64url').slice(Math.ceil((before * 8) / 6), Math.floor((placed.length * 8) / 6));
  });
  const hex = bytes.toString('hex');
  return [
    hex,
    hex.toUpperCase(),
    bytes.toString('base64'),
    ...inside,
    ...inside.map((text) => text.replaceAll('-', '+').replaceAll('_', '/')),
  ];
};

/** A line of a value of several, for example of a key in PEM. */
const linesOf = (value: string): readonly string[] => {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return lines.length > 1 ? lines.filter((line) => line.length >= 8) : [];
};

/** Masks the values of a worker's variables and secrets, and the folders of this node. */
export const createRedactor = ({
  variables,
  secrets,
  folders,
}: {
  readonly variables: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly folders: readonly string[];
}): Redact => {
  const ofVariables = Object.values(variables).flatMap(spellings);
  const ofSecrets = Object.values(secrets)
    .filter((value) => value.length >= shortest.secret)
    .flatMap((value) => [...spellings(value), ...encodings(value), ...linesOf(value)]);
  const hidden = [
    ...new Set([
      ...ofVariables.filter((text) => text.length >= shortest.variable),
      ...ofSecrets.filter((text) => text.length >= shortest.secret),
    ]),
  ].sort((a, b) => b.length - a.length);
  return (text, isCut = false) => {
    let out = text;
    for (const value of hidden) out = out.replaceAll(value, mask);
    for (const folder of folders) out = out.replaceAll(folder, '');
    return isCut ? withoutBeginning(out, hidden) : out;
  };
};

/** Masks what a text that was cut short ends with, when a value begins like that. */
const withoutBeginning = (text: string, hidden: readonly string[]): string => {
  const last = text.at(-1);
  const longest = hidden.reduce((found, value) => {
    for (let length = Math.min(value.length - 1, text.length); length > found; length -= 1) {
      if (value[length - 1] === last && text.endsWith(value.slice(0, length))) return length;
    }
    return found;
  }, 0);
  return longest >= shortest.secret ? `${text.slice(0, -longest)}${mask}` : text;
};
