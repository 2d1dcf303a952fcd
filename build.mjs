// Bundles the program into dist/: one file starts faster than a thousand, and Node 20 cannot run TypeScript.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const entries = {
  opslog: 'src/main.ts',
  eventstoreWorker: 'src/platform/eventstore/worker.ts',
  client: 'src/client/index.ts',
};

// Packages with native parts or files of their own beside them stay where npm put them.
const external = ['lmdb', 'workerd', 'esbuild', '@node-rs/argon2', '@electric-sql/pglite', 'ssh2', 'pg-native', 'cpu-features'];

// CommonJS packages inside an ES module bundle still call require().
const banner = "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

const present = Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(file)));
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist', { recursive: true });
await build({
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
});
