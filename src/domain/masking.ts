/**
 * The one masking function: audit metadata, published payloads and logs pass through it. Names of fields decide first,
 * then the shape of what a string holds; a secret that somebody put into a free text is found by its shape only.
 */
export type MaskOptions = {
  /** Longer strings are left out, with their length in their place. */
  readonly maxStringLength?: number;
};

const masked = '[masked]';
const maxDepth = 24;
/** Values looked at in all, so that a web of shared references ends. */
const maxValues = 200_000;

/** Fields that hold a secret or what stands for one, by their name in lower case without `_` and `-`. */
const secretNames = new Set(['digest', 'auth', 'cookie', 'cookies', 'setcookie', 'pwd', 'otp']);
const secretEndings = [
  'password',
  'passwordhash',
  'passwd',
  'passphrase',
  'secret',
  'secrets',
  'secretvalue',
  'token',
  'tokens',
  'tokendigest',
  'secretdigest',
  'passworddigest',
  'apikey',
  'apikeydigest',
  'accesskey',
  'secretkey',
  'privatekey',
  'encryptionkey',
  'authorization',
  'credential',
  'credentials',
] as const;
/** Maps of names to values that people fill with secrets by mistake: the names stay, the values go. */
const configurationNames = new Set([
  'variables',
  'environment',
  'env',
  'environmentvariables',
  'headers',
  'encrypteddata',
]);

type Verdict = 'secret' | 'configuration' | 'plain';

// Field names come again and again; names that callers invent do not fill the memory.
const verdicts = new Map<string, Verdict>();
const maxVerdicts = 2_000;

const verdictOn = (name: string): Verdict => {
  const known = verdicts.get(name);
  if (known !== undefined) return known;
  const verdict = judge(name);
  if (verdicts.size < maxVerdicts) verdicts.set(name, verdict);
  return verdict;
};

const judge = (name: string): Verdict => {
  const plain = name.toLowerCase().replaceAll(/[_-]/g, '');
  if (secretNames.has(plain) || secretEndings.some((ending) => plain.endsWith(ending))) return 'secret';
  return configurationNames.has(plain) ? 'configuration' : 'plain';
};

/** Every shape has one of these in it: most texts have none, and are looked at once instead of once per shape. */
const hint =
  /PRIVATE KEY|bearer|basic|op[sti]_|whsec_|:\/\/|\$(?:argon2|scrypt|2[aby])|eyJ|gh[pousr]_|github_pat_|AKIA/i;

const shapes: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, masked],
  [/\b(Bearer|Basic)[ \t]+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${masked}`],
  [/(?<![A-Za-z0-9])(op[sti])_[A-Za-z0-9_-]{8,}/g, `$1_${masked}`],
  [/(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/=_-]{8,}/g, `whsec_${masked}`],
  // User and password of a URL.
  [/(?<=[a-z0-9+.-]:\/\/)[^\s/@:"'[\]]{0,256}:[^\s/@"'[\]]{1,512}@/gi, `${masked}@`],
  [/\$(argon2(?:id|i|d)|scrypt|2[aby])\$[^\s"',]+/g, `$$$1$$${masked}`],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, masked],
  [/\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|AKIA[A-Z0-9]{16})\b/g, masked],
];

/** The same for one text, by its shape alone. */
export const maskText = (text: string, { maxStringLength = Number.POSITIVE_INFINITY }: MaskOptions = {}): string => {
  if (text.length > maxStringLength) return `[left out: ${text.length} characters]`;
  if (!hint.test(text)) return text;
  return shapes.reduce((rest, [shape, replacement]) => rest.replace(shape, replacement), text);
};

type Walk = {
  readonly options: MaskOptions;
  /** Plain objects and lists in which nothing has to change may be answered as they are. */
  readonly keeps: boolean;
  readonly ancestors: Set<object>;
  left: number;
};

/**
 * A copy of any value as plain JSON data without secrets. Total: cycles, excessive depth and what JSON cannot carry are
 * replaced by a note in brackets. Applying it again changes nothing.
 */
export const maskSecrets = (value: unknown, options: MaskOptions = {}): unknown =>
  walk(value, { options, keeps: false, ancestors: new Set(), left: maxValues });

/**
 * The same for data that was read from JSON and that nobody changes, like that of an event: where there is nothing to mask,
 * it is answered itself and not copied.
 */
export const maskJson = (value: unknown, options: MaskOptions = {}): unknown =>
  walk(value, { options, keeps: true, ancestors: new Set(), left: maxValues });

const walk = (value: unknown, state: Walk): unknown => {
  state.left -= 1;
  if (state.left < 0) return '[left out]';
  switch (typeof value) {
    case 'string':
      return maskText(value, state.options);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
    case 'undefined':
      return value;
    case 'bigint':
      return String(value);
    case 'object':
      return value === null ? null : walkObject(value, state);
    default:
      return `[${typeof value}]`;
  }
};

const walkObject = (value: object, state: Walk): unknown => {
  if (state.ancestors.has(value)) return '[circular]';
  if (state.ancestors.size >= maxDepth) return '[too deep]';
  state.ancestors.add(value);
  try {
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (Array.isArray(value)) return walkList(value, state);
    if (state.keeps && isPlain(value)) return walkPlain(value, state);
    if (value instanceof Date) return Number.isFinite(value.getTime()) ? value.toISOString() : '[no date]';
    if (value instanceof Map)
      return walkEntries(
        [...value].map(([key, each]) => [String(key), each]),
        state,
      );
    if (value instanceof Set) return [...value].map((each) => walk(each, state));
    if (value instanceof Error)
      return walkEntries(
        [
          ['name', value.name],
          ['message', value.message],
        ],
        state,
      );
    return walkEntries(Object.entries(value), state);
  } catch {
    return '[unreadable]';
  } finally {
    state.ancestors.delete(value);
  }
};

const walkList = (values: readonly unknown[], state: Walk): unknown => {
  const masked = values.map((each) => walk(each, state));
  return state.keeps && masked.every((each, index) => each === values[index]) ? values : masked;
};

const isPlain = (value: object): value is Readonly<Record<string, unknown>> =>
  Object.getPrototypeOf(value) === Object.prototype;

const walkPlain = (value: Readonly<Record<string, unknown>>, state: Walk): unknown => {
  // With a value of its own, a `name` decides what becomes of it.
  if (Object.hasOwn(value, 'value')) return walkEntries(Object.entries(value), state);
  let changed: Map<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const each = value[key];
    const verdict = verdictOn(key);
    const kept = verdict === 'plain' ? walk(each, state) : conceal(each, verdict, state);
    if (kept === each) continue;
    changed ??= new Map(Object.entries(value));
    changed.set(key, kept);
  }
  return changed === undefined ? value : Object.fromEntries(changed);
};

// Built by Object.fromEntries, which defines a field named __proto__ instead of setting the prototype.
const walkEntries = (entries: readonly (readonly [string, unknown])[], state: Walk): unknown => {
  // A pair { name: 'API_PASSWORD', value: … } names its secret in a field of its own.
  const paired = entries.some(([key]) => key === 'value') ? entries.find(([key]) => key === 'name')?.[1] : undefined;
  const valueVerdict = typeof paired === 'string' ? verdictOn(paired) : 'plain';
  return Object.fromEntries(
    entries.map(([key, each]) => {
      const verdict = key === 'value' && valueVerdict !== 'plain' ? valueVerdict : verdictOn(key);
      return [key, verdict === 'plain' ? walk(each, state) : conceal(each, verdict, state)];
    }),
  );
};

/** Nothing of a secret stays but whether there is one; of a configuration the names stay. */
const conceal = (value: unknown, verdict: 'secret' | 'configuration', state: Walk): unknown => {
  if (value === '' || value === null || value === undefined || typeof value === 'boolean') return value;
  if (verdict === 'secret' && Array.isArray(value)) return value.map((each) => concealReference(each, state));
  if (verdict === 'secret' || typeof value !== 'object') return masked;
  return concealConfiguration(value, state);
};

const concealConfiguration = (value: object, state: Walk): unknown => {
  if (state.ancestors.has(value)) return masked;
  if (state.ancestors.size >= maxDepth) return masked;
  state.ancestors.add(value);
  try {
    if (Array.isArray(value)) return value.map((each) => concealPair(each, state));
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    return Object.fromEntries(
      entries.map(([key, each]) => [maskText(String(key), state.options), conceal(each, 'configuration', state)]),
    );
  } catch {
    return masked;
  } finally {
    state.ancestors.delete(value);
  }
};

/** In a list of secrets: a reference keeps the name and the version that it refers by, and its other fields are masked. */
const concealReference = (value: unknown, state: Walk): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return conceal(value, 'secret', state);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (key === 'name' && typeof each === 'string') return [key, maskText(each, state.options)];
      return [key, key === 'version' && Number.isInteger(each) ? each : conceal(each, 'secret', state)];
    }),
  );
};

/** An element of a list: `{ name, value }` keeps its name. */
const concealPair = (value: unknown, state: Walk): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return conceal(value, 'secret', state);
  const name = 'name' in value && typeof value.name === 'string' ? { name: maskText(value.name, state.options) } : {};
  return { ...name, ...('value' in value ? { value: conceal(value.value, 'secret', state) } : {}) };
};
