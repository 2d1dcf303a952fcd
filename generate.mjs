// Writes the committed files that follow from the code: openapi.json, asyncapi.json, docs/problems and the types of the client.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = import.meta.dirname;
const contents = `
export { generatedFiles } from './src/api/generated.ts';
export { version } from './src/version.ts';
export { generateApi } from './src/client/generate.ts';
export { asyncApiText } from './src/sagas/asyncApi.ts';
`;

mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
const folder = mkdtempSync(join(root, 'node_modules/.cache/generate-'));
try {
  const outfile = join(folder, 'generate.mjs');
  const stdin = { contents, resolveDir: root, loader: 'ts' };
  await build({
    stdin,
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  const { asyncApiText, generatedFiles, generateApi, version } = await import(pathToFileURL(outfile).href);
  const files = new Map(generatedFiles(version));
  files.set('asyncapi.json', asyncApiText(version));
  files.set('src/client/api.ts', generateApi(JSON.parse(files.get('openapi.json'))));

  const pages = join(root, 'docs/problems');
  mkdirSync(pages, { recursive: true });
  for (const page of readdirSync(pages)) if (!files.has(`docs/problems/${page}`)) rmSync(join(pages, page));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
