import { builtinModules } from 'node:module';
import { build, type Message, type Plugin } from 'esbuild';
import { type Refused, refuse } from './answer.ts';

export type Checked = { readonly handlers: readonly string[] };

const known = ['fetch', 'scheduled', 'queue', 'tail', 'trace', 'email', 'alarm', 'test'] as const;
const handlerPattern = (name: string) => new RegExp(`\\b${name}\\b\\s*[(:,}=]`);

/** Resolves only what was uploaded or what the runtime has; nothing is read from the disk. */
const onlyUploaded = (names: ReadonlySet<string>, nodeCompat: boolean): Plugin => ({
  name: 'only-uploaded',
  setup: ({ onResolve }) => {
    onResolve({ filter: /.*/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined;
      const builtin = path.startsWith('node:') || builtinModules.includes(path);
      if (builtin && nodeCompat) return { path, external: true };
      if (path.startsWith('cloudflare:') || path.startsWith('workerd:')) return { path, external: true };
      if (names.has(path.replace(/^\.\//, ''))) return { path, external: true };
      return { errors: [{ text: `No such module "${path}"` }] };
    });
  },
});

const sentence = ({ text, location }: Message, main: string): string =>
  location === null ? text : `${text} at ${main}:${location.line}:${location.column}`;

const messagesOf = (error: unknown): readonly Message[] =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors) ? error.errors : [];

/**
 * Parses the main module without running it: 10021 for a syntax error or an import of something that was not
 * uploaded, 10068 when there is no default export that could hold a handler.
 */
export const checkModule = async (
  main: string,
  code: string,
  names: ReadonlySet<string>,
  nodeCompat: boolean,
): Promise<Checked | Refused> => {
  try {
    const { metafile } = await build({
      stdin: { contents: code, loader: 'js', sourcefile: main },
      bundle: true,
      format: 'esm',
      write: false,
      metafile: true,
      logLevel: 'silent',
      plugins: [onlyUploaded(names, nodeCompat)],
    });
    const [output] = Object.values(metafile.outputs);
    if (!output?.exports.includes('default')) return refuse(10068);
    return { handlers: known.filter((name) => handlerPattern(name).test(code)) };
  } catch (error) {
    const messages = messagesOf(error);
    if (messages.length === 0) throw error;
    return refuse(10021, messages.map((message) => sentence(message, main)).join('; '));
  }
};

/** The older form listens for events instead of exporting them. */
export const checkServiceWorker = async (part: string, code: string): Promise<Checked | Refused> => {
  try {
    await build({ stdin: { contents: code, loader: 'js', sourcefile: part }, write: false, logLevel: 'silent' });
  } catch (error) {
    const messages = messagesOf(error);
    if (messages.length === 0) throw error;
    return refuse(10021, messages.map((message) => sentence(message, part)).join('; '));
  }
  const handlers = known.filter((name) => new RegExp(`addEventListener\\(\\s*['"\`]${name}['"\`]`).test(code));
  return handlers.length === 0 ? refuse(10068) : { handlers };
};
