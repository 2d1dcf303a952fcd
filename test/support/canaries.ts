/** What a secret may look like where it does not belong, by the name of the form. */
export const formsOf = (secret: string): ReadonlyMap<string, readonly string[]> => {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((before) => base64Within(bytes, before));
  const escaped = inJson(secret);
  return new Map([
    ['plain', [secret, ...linesOf(secret)]],
    ['as JSON', [escaped, inJson(escaped)]],
    ['URL-encoded', [encodeURIComponent(bytes.toString()), new URLSearchParams([['', secret]]).toString().slice(1)]],
    ['as hexadecimal digits', [bytes.toString('hex'), bytes.toString('hex').toUpperCase()]],
    ['as base64', base64],
    ['as base64url', base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))],
  ]);
};

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A key of many lines may be written with other line ends; its frame is in every key. */
const linesOf = (secret: string): readonly string[] =>
  secret.split(/\r?\n/).filter((line, _, { length }) => length > 1 && line.length >= 32 && !line.startsWith('-----'));

/** The part of its base64 that is the same whatever is encoded before and after it, when so many bytes are before it. */
const base64Within = (bytes: Uint8Array, before: number): string => {
  const text = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replaceAll('=', '');
  const isWhole = (before + bytes.length) % 3 === 0;
  return text.slice(Math.ceil((before * 4) / 3), isWhole ? undefined : -1);
};

/** Long and manifold enough to be nowhere by chance. */
export const isRecognisable = (secret: string): boolean => {
  if (Buffer.byteLength(secret) < leastBytes || new Set(secret).size < 6) return false;
  return secret.length >= 16 || (/\p{L}/u.test(secret) && /\d/.test(secret));
};

/** Where a secret was seen, said without the secret. */
export type Sighting = {
  readonly place: string;
  readonly form: string;
  readonly secret: string;
  readonly after: string;
};
export type Search = (place: string, content: string | Uint8Array) => readonly Sighting[];

const leastBytes = 8;
const block = 3;
const largestShift = leastBytes - block + 1;

type Needle = { readonly bytes: Buffer; readonly form: string; readonly origin: string };

/**
 * Looks for all of the secrets at once, in every form, after Wu and Manber: most places are passed over in steps of six bytes,
 * however many secrets there are. `secrets` are given with what they are, to be told in their place.
 */
export const searchFor = (secrets: ReadonlyMap<string, string>): Search => {
  const shifts = new Uint8Array(1 << (8 * block)).fill(largestShift);
  const endings = new Map<number, Needle[]>();
  for (const needle of needlesOf(secrets)) {
    for (let at = 0; at <= leastBytes - block; at += 1) {
      const key = blockAt(needle.bytes, at);
      shifts[key] = Math.min(shifts[key] ?? 0, leastBytes - block - at);
    }
    const ending = blockAt(needle.bytes, leastBytes - block);
    endings.set(ending, [...(endings.get(ending) ?? []), needle]);
  }
  return (place, content) => {
    const bytes = Buffer.from(content);
    const found: Sighting[] = [];
    for (let at = leastBytes - block; at + block <= bytes.length; ) {
      const key = blockAt(bytes, at);
      const shift = shifts[key] ?? 0;
      if (shift === 0) {
        const start = at - leastBytes + block;
        for (const needle of endings.get(key) ?? []) {
          if (isAt(bytes, start, needle.bytes)) found.push(sighting(place, needle, bytes, start));
        }
      }
      at += Math.max(1, shift);
    }
    return found;
  };
};

const blockAt = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);

const isAt = (bytes: Buffer, start: number, wanted: Buffer): boolean =>
  start + wanted.length <= bytes.length && bytes.compare(wanted, 0, undefined, start, start + wanted.length) === 0;

const needlesOf = (secrets: ReadonlyMap<string, string>): readonly Needle[] =>
  [...secrets].flatMap(([secret, origin]) => {
    const seen = new Set<string>();
    return [...formsOf(secret)].flatMap(([form, texts]) =>
      texts.flatMap((text) => {
        const bytes = Buffer.from(text);
        if (seen.has(text) || bytes.length < leastBytes) return [];
        seen.add(text);
        return [{ bytes, form, origin }];
      }),
    );
  });

const sighting = (place: string, { bytes: found, form, origin }: Needle, bytes: Buffer, start: number): Sighting => ({
  place,
  form,
  secret: `${origin}, ${found.length} bytes`,
  after: bytes.subarray(Math.max(0, start - 24), start).toString(),
});

/** Secrets as they come up, to be looked for at the end. */
export const createCanaries = () => {
  const secrets = new Map<string, string>();
  return {
    secrets,
    /** `origin` says what it is, for instance `openSession password`. */
    add: (secret: string, origin: string): void => {
      if (isRecognisable(secret) && !secrets.has(secret)) secrets.set(secret, origin);
    },
  };
};
export type Canaries = ReturnType<typeof createCanaries>;

const shown = 20;

/** Throws when there are any, with where and what they are. */
export const refuseSightings = (sightings: readonly Sighting[]): void => {
  if (sightings.length === 0) return;
  const all = sightings.map(
    ({ place, form, secret, after }) => `  ${place}: ${secret}, ${form}, after ${JSON.stringify(after)}`,
  );
  const lines = [...new Set(all)].slice(0, shown);
  throw new Error(`${sightings.length} secrets are where none may be:\n${lines.join('\n')}`);
};
