import { posix } from 'node:path';
import { build, type Loader, type Message, type Plugin, version } from 'esbuild';
import { clip } from '../../domain/kernel.ts';
import type { Bundled, BundleJob } from './bundleProtocol.ts';
import { isRecord } from './packageExports.ts';
import type { Refused, SourceFile } from './port.ts';
import { createResolver } from './resolve.ts';

const loaders: ReadonlyMap<string, Loader> = new Map<string, Loader>([
  ['.ts', 'ts'],
  ['.mts', 'ts'],
  ['.cts', 'ts'],
  ['.tsx', 'tsx'],
  ['.js', 'js'],
  ['.mjs', 'js'],
  ['.cjs', 'js'],
  ['.jsx', 'jsx'],
  ['.json', 'json'],
  ['.txt', 'text'],
  ['.html', 'text'],
  ['.sql', 'text'],
]);

const PATTERN = 'Could not resolve a computed path';
const SUBMISSION = 'submission';
const REQUIRED = 'required';

/**
 * Bundles to one ES module. esbuild sees only the files given here: every path is resolved and loaded by the plugin below,
 * so neither the disk nor the network nor a configuration file can have a say. Types are stripped, not checked.
 */
export const bundle = async (job: BundleJob): Promise<Bundled | Refused> => {
  try {
    const result = await build({
      entryPoints: [job.entryPoint],
      outfile: 'worker.js',
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'neutral',
      target: 'es2024',
      charset: 'utf8',
      legalComments: 'eof',
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"' },
      tsconfigRaw: '{}',
      logLevel: 'silent',
      logLimit: 50,
      color: false,
      plugins: [submission(job.files, job.compatibilityFlags)],
    });
    const patterns = result.warnings.filter(isPattern);
    if (patterns.length > 0) return explain(patterns);
    const output = Object.values(result.metafile.outputs)[0];
    const code = result.outputFiles[0]?.contents;
    if (output === undefined || code === undefined) throw new Error('esbuild gave no output');
    return {
      code,
      inputs: Object.keys(result.metafile.inputs).flatMap(inputPath).toSorted(),
      exports: output.exports,
      warnings: result.warnings.map(describe).map(shortened).toSorted().slice(0, 20),
      esbuild: version,
    };
  } catch (error) {
    const messages = messagesOf(error);
    if (messages === undefined) throw error;
    return explain(messages);
  }
};

const submission = (files: readonly SourceFile[], compatibilityFlags: readonly string[]): Plugin => ({
  name: SUBMISSION,
  setup: (plugin) => {
    const present = new Map(files.map((file) => [file.path, file.bytes]));
    const resolve = createResolver(files, compatibilityFlags);
    plugin.onResolve({ filter: /.*/ }, ({ path, importer, kind, namespace, with: attributes }) => {
      if (kind === 'entry-point') return { path, namespace: SUBMISSION };
      if (namespace === REQUIRED) return { path, external: true };
      const type = attributes['type'];
      if (type !== undefined && type !== 'json' && type !== 'text')
        return refuseImport(path, `Imports of type "${type}" are not supported.`);
      const required = kind === 'require-call' || kind === 'require-resolve';
      const resolution = resolve(path, importer, required ? 'require' : 'import');
      if ('unresolved' in resolution) return refuseImport(resolution.unresolved, resolution.hint);
      // An ES module can't require() what only the runtime has; a module that imports it stands in.
      if ('external' in resolution)
        return required
          ? { path: resolution.external, namespace: REQUIRED }
          : { path: resolution.external, external: true };
      if (!loaders.has(posix.extname(resolution.found)))
        return refuseImport(`"${path}"`, `Files like ${posix.basename(resolution.found)} can't be imported.`);
      return { path: resolution.found, namespace: SUBMISSION };
    });
    plugin.onLoad({ filter: /.*/, namespace: SUBMISSION }, ({ path, with: attributes }) => {
      const contents = present.get(path);
      const loader = attributes['type'] === 'text' ? 'text' : loaders.get(posix.extname(path));
      if (contents === undefined || loader === undefined) throw new Error(`${path} was resolved but can't be loaded`);
      return { contents, loader };
    });
    // esbuild looks for computed paths such as import('./' + name) on the disk by itself; what it finds stays unread.
    plugin.onLoad({ filter: /.*/ }, ({ namespace }) =>
      namespace === REQUIRED ? null : { errors: [{ text: PATTERN }] },
    );
    plugin.onLoad({ filter: /.*/, namespace: REQUIRED }, ({ path }) => ({
      contents: `import it from ${JSON.stringify(path)};\nmodule.exports = it;\n`,
      loader: 'js',
    }));
  },
});

const refuseImport = (what: string, hint: string) => ({
  errors: [{ text: `Could not resolve ${what}`, detail: { hint } }],
});

const inputPath = (key: string): readonly string[] =>
  key.startsWith(`${SUBMISSION}:`) ? [key.slice(SUBMISSION.length + 1)] : [];

/** The errors of a failed build, and those warnings that count as errors here; undefined for any other failure. */
const messagesOf = (error: unknown): readonly Message[] | undefined => {
  if (!(error instanceof Error && 'errors' in error && 'warnings' in error)) return undefined;
  const { errors, warnings } = error;
  return isMessages(errors) && isMessages(warnings) ? [...errors, ...warnings.filter(isPattern)] : undefined;
};

const isMessages = (value: unknown): value is readonly Message[] =>
  Array.isArray(value) &&
  value.every((item) => isRecord(item) && typeof item['text'] === 'string' && 'location' in item);

type Place = { readonly file: string; readonly line: number; readonly column: number };

/** Lines and columns count from 1, columns in UTF-16 units as editors do; esbuild gives bytes from 0. */
const placeOf = ({ location }: Message): Place => {
  if (location === null) return { file: '', line: 0, column: 0 };
  const before = Buffer.from(location.lineText).subarray(0, location.column).toString();
  const file = inputPath(location.file)[0] ?? location.file;
  return { file, line: location.line, column: before.length + 1 };
};

const describe = (message: Message): string => {
  const { file, line, column } = placeOf(message);
  return file === '' ? message.text : `${file}:${line}:${column}: ${message.text}`;
};

const byPlace = (a: Message, b: Message): number => {
  const [one, two] = [placeOf(a), placeOf(b)];
  return one.file < two.file ? -1 : one.file > two.file ? 1 : one.line - two.line || one.column - two.column;
};

/** The complaints about a computed path, in whatever way it was or was not found on the disk. */
const isPattern = ({ text }: Message): boolean =>
  text === PATTERN || /^(?:The glob pattern|Could not resolve) (?:import|require)\(/.test(text);

/** Told alike in every case and once per place, so that no answer depends on the files of this machine. */
const uniform = (message: Message): Message =>
  isPattern(message)
    ? { ...message, text: PATTERN, detail: { hint: 'Write the path out, or import each file and choose among them.' } }
    : message;

/** The first error by place, with the number of the others; one fixed order, whatever finished first inside esbuild. */
const explain = (messages: readonly Message[]): Refused => {
  const distinct = [...new Map(messages.map(uniform).map((message) => [describe(message), message])).values()];
  const first = distinct.toSorted(byPlace)[0];
  if (first === undefined) throw new Error('esbuild failed without a message');
  const { file, line, column } = placeOf(first);
  const unresolved = first.pluginName === SUBMISSION || /^(?:No matching export|Could not resolve)/.test(first.text);
  const hint = hintOf(first.detail);
  return {
    rejected: unresolved ? 'ImportUnresolved' : 'SourceSyntaxInvalid',
    reason: shortened(`${describe(first)}${hint === '' ? '' : `. ${hint}`}`),
    details: {
      ...{ file, line, column, text: shortened(first.text) },
      ...(hint === '' ? {} : { hint: shortened(hint) }),
      others: distinct.length - 1,
    },
  };
};

/** Messages quote the source, which may be one long name. */
const shortened = (text: string): string => (text.length > 1_000 ? `${clip(text, 1_000)}…` : text);

const hintOf = (detail: unknown): string =>
  typeof detail === 'object' && detail !== null && 'hint' in detail && typeof detail.hint === 'string'
    ? detail.hint
    : '';
