// Bundles the simulation and runs it: npm run simulate -- --seed 7 --trace
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../..');
mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
const folder = mkdtempSync(join(root, 'node_modules/.cache/simulate-'));
try {
  const outfile = join(folder, 'simulate.mjs');
  const entryPoints = [join(import.meta.dirname, 'cli.ts')];
  const settings = { bundle: true, platform: 'node', format: 'esm', packages: 'external', sourcemap: 'inline' };
  await build({ entryPoints, outfile, ...settings, logLevel: 'warning' });
  const { simulate } = await import(pathToFileURL(outfile).href);
  process.exitCode = await simulate(process.argv.slice(2));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
