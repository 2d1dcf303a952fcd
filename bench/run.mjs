// Bundles the benchmarks and runs them: Node 20 cannot run TypeScript. The program is built, and measured from a copy, so
// that a build that happens meanwhile does not change what is measured.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const project = fileURLToPath(new URL('..', import.meta.url));
process.chdir(project);
await import('../build.mjs');

// Inside node_modules, so that packages are found from there.
const out = join(project, 'node_modules/.cache', `opslog-bench-${process.pid}`);
mkdirSync(out, { recursive: true });
cpSync('bin', join(out, 'bin'), { recursive: true });
cpSync('dist', join(out, 'dist'), { recursive: true });
await build({
  entryPoints: [
    'bench/main.ts',
    ...['bareAppend', 'bareInsert', 'bareServer', 'opslogQueue', 'attacker'].map((name) => `bench/peers/${name}.ts`),
  ],
  outdir: join(out, 'bench'),
  outbase: 'bench',
  bundle: true,
  splitting: true,
  external: [
    'lmdb',
    'workerd',
    'esbuild',
    '@node-rs/argon2',
    '@electric-sql/pglite',
    'ssh2',
    'pg-native',
    'cpu-features',
  ],
  // CommonJS packages inside an ES module bundle still call require().
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  sourcemap: 'inline',
  outExtension: { '.js': '.mjs' },
  logLevel: 'warning',
});

const child = spawn(process.execPath, ['--enable-source-maps', join(out, 'bench/main.mjs'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('exit', (code) => {
  rmSync(out, { recursive: true, force: true });
  process.exit(code ?? 1);
});
