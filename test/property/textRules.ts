import { domainToASCII } from 'node:url';

// What becomes of a text, as docs/texts.md and the description of each field say it, and not as the program does it.
// Undefined: it is refused.

export type TextRule = (text: string) => string | undefined;

const isWhole = (text: string): boolean => !/\p{Surrogate}/u.test(text);
const length = (text: string): number => [...text].length;
const bytes = (text: string): number => Buffer.byteLength(text);

const people =
  ({ maximum, least = 0, lines = false }: { maximum: number; least?: 0 | 1; lines?: boolean }): TextRule =>
  (text) => {
    const kept = text.normalize('NFC').trim();
    // Sent at most four times as long.
    if (length(text) > maximum * 4 || length(kept) > maximum || !isWhole(kept)) return undefined;
    const printed = lines ? kept.replaceAll(/[\t\r\n]/g, '') : kept;
    if (/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(printed)) return undefined;
    return least === 1 && !/[\p{L}\p{N}\p{P}\p{S}]/u.test(kept) ? undefined : kept;
  };

export const name: TextRule = people({ maximum: 100, least: 1 });
export const line = (maximum: number): TextRule => people({ maximum });
export const lines = (maximum: number): TextRule => people({ maximum, lines: true });

/** Kept as it is: so many characters, and so many bytes of UTF-8. */
export const asItIs =
  ({
    least = 1,
    longest,
    most = Number.POSITIVE_INFINITY,
  }: {
    least?: number;
    longest: number;
    most?: number;
  }): TextRule =>
  (text) =>
    isWhole(text) && length(text) >= least && length(text) <= longest && bytes(text) <= most ? text : undefined;

export const secret =
  (most: number): TextRule =>
  (text) =>
    text.includes('\0') ? undefined : asItIs({ longest: most, most })(text);

export const userName: TextRule = (text) => (/^[^\s:\p{C}]{1,128}$/u.test(text) ? text : undefined);

export const email: TextRule = (text) => {
  const kept = text.normalize('NFC').trim().toLowerCase();
  return length(text) <= 254 && /^[a-z0-9_+-]+(\.[a-z0-9_+-]+)*@([a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/.test(kept)
    ? kept
    : undefined;
};

export const hostname: TextRule = (text) => {
  const given = text.trim().replace(/\.$/, '');
  if (/[\s/:@?#%\\[\]|<>^"`{}*]/.test(given)) return undefined;
  const ascii = domainToASCII(given);
  const labels = ascii.split('.');
  const areLabels = labels.every((each) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(each));
  const last = labels.at(-1) ?? '';
  if (!areLabels || labels.length < 2 || ascii.length > 253 || /^(\d+|0x[0-9a-f]*|localhost|invalid|arpa)$/.test(last))
    return undefined;
  return ascii;
};

/** As nobody has anything like it, or as only few values are taken. */
export const never: TextRule = () => undefined;

/** Parts of a text are kept apart by this where several are sent as one. */
const seam = '|';

/** As few texts as they fit into, of those that are kept as they are. */
export const packed = (texts: readonly string[], rule: TextRule): readonly string[] => {
  const packs: string[] = [];
  for (const text of texts.filter((each) => rule(each) === each)) {
    const longer = `${packs.at(-1) ?? ''}${seam}${text}`;
    if (packs.length > 0 && rule(longer) === longer) packs.splice(-1, 1, longer);
    else packs.push(text);
  }
  return packs;
};

/** All of them: what is kept as it is in as few as it fits into, whatever is altered or refused one by one. */
export const together = (texts: readonly string[], rule: TextRule): readonly string[] => [
  ...packed(texts, rule),
  ...texts.filter((text) => rule(text) !== text),
];

/** Of a file, from the top folder of a submission. */
export const path: TextRule = (text) => {
  const kept = text.replace(/^(\.\/)+/, '').normalize('NFC');
  const parts = kept.split('/');
  if (text === '' || parts.some((part) => part === '' || part === '.' || part === '..')) return undefined;
  if (/[\p{Cc}\p{Surrogate}\ufffd\\]/u.test(kept) || /^[A-Za-z]:/.test(kept)) return undefined;
  return parts.length > 16 || bytes(kept) > 255 ? undefined : kept;
};

/** Of a file as text. */
export const content: TextRule = (text) => (isWhole(text) ? text : undefined);

/** The bytes are those of a text, in the standard alphabet with padding. */
export const base64: TextRule = (text) => {
  const decoded = Buffer.from(text, 'base64');
  const isText = Buffer.from(decoded.toString('utf8')).equals(decoded);
  return isText && decoded.toString('base64') === text ? decoded.toString('utf8') : undefined;
};
