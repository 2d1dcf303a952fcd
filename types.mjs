// Writes the declarations of opslog/client, for programs that are checked with other settings than ours.
// node types.mjs [folder], dist/types when not given. Without TypeScript (a production install) there is nothing to do.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [outDir = 'dist/types'] = process.argv.slice(2);
const compiler = join(import.meta.dirname, 'node_modules/typescript/bin/tsc');
const options = {
  target: 'es2023',
  lib: 'es2023',
  module: 'esnext',
  moduleResolution: 'bundler',
  types: 'node',
  rootDir: 'src/client',
  outDir: resolve(outDir),
};
const flags = [
  'ignoreConfig',
  'strict',
  'skipLibCheck',
  'declaration',
  'emitDeclarationOnly',
  'allowImportingTsExtensions',
];

if (existsSync(compiler)) {
  const given = [
    ...flags.map((flag) => `--${flag}`),
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
  ];
  const run = spawnSync(process.execPath, [compiler, ...given, 'src/client/index.ts'], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  });
  process.exitCode = run.status ?? 1;
}
