// Bundles the program into dist/: one file starts faster than a thousand, and Node 20 cannot run TypeScript.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const entries = {
  opslog: 'src/main.ts',
  eventstoreWorker: 'src/platform/eventstore/worker.ts',
  client: 'src/client/index.ts',
  bundleChild: 'src/platform/builder/bundleChild.ts',
  sshKeyThread: 'src/platform/ssh/keyThread.ts',
  pastChild: 'src/compose/past/child.ts',
  // What the tests use for Cloudflare; the demonstration shows it too.
  cloudflareStandIn: 'test/support/cloudflare/main.ts',
};

// Packages with native parts or files of their own beside them stay where npm put them.
const external = [
  'lmdb',
  'workerd',
  'esbuild',
  '@node-rs/argon2',
  '@electric-sql/pglite',
  'ssh2',
  'pg-native',
  'cpu-features',
];

// CommonJS packages inside an ES module bundle still call require().
const banner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

const present = Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(file)));
const { outputFiles } = await build({
  entryPoints: present,
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  sourcemap: true,
  external,
  banner: { js: banner },
  logLevel: 'warning',
  write: false,
});

// Files change in one step and only when they differ: a program that runs from dist/ is never left with half a file.
mkdirSync('dist', { recursive: true });
for (const { path, contents } of outputFiles) {
  if (existsSync(path) && readFileSync(path).equals(contents)) continue;
  writeFileSync(`${path}.${process.pid}`, contents);
  renameSync(`${path}.${process.pid}`, path);
}
const current = new Set(['types', await emptyDatabase(), ...outputFiles.map(({ path }) => basename(path))]);
for (const name of readdirSync('dist')) if (!current.has(name)) rmSync(join('dist', name), { force: true });

/** A new embedded database is unpacked from an empty one that is made here: initialising one takes three times as long. */
async function emptyDatabase() {
  const { version } = JSON.parse(readFileSync('node_modules/@electric-sql/pglite/package.json', 'utf8'));
  const name = `empty-database-${version}.tar.gz`;
  if (existsSync(join('dist', name))) return name;
  const { PGlite } = await import('@electric-sql/pglite');
  const empty = await PGlite.create('memory://');
  const dump = await empty.dumpDataDir('gzip');
  await empty.close();
  writeFileSync(join('dist', `${name}.${process.pid}`), Buffer.from(await dump.arrayBuffer()));
  renameSync(join('dist', `${name}.${process.pid}`), join('dist', name));
  return name;
}
