import type { Project } from '../../../src/platform/builder/port.ts';

export type Texts = Readonly<Record<string, string>>;

/** A project of these files; the entry point is `src/index.ts` unless told otherwise. */
export const projectOf = (texts: Texts, settings: Partial<Omit<Project, 'files'>> = {}): Project => ({
  language: 'typescript',
  entryPoint: 'src/index.ts',
  compatibilityDate: '2026-01-01',
  compatibilityFlags: [],
  ...settings,
  files: Object.entries(texts)
    .map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
});

export const shop: Texts = {
  'README.md': '# Not part of the bundle\n',
  'src/index.ts': `import { greet } from './greet.js';
import page from './page.txt';
import config from '../config.json';
import { pad } from 'left';
export default { fetch(request: Request): Response { return new Response(pad(greet(config.name)) + page + request.url); } };
`,
  'src/greet.ts': 'export const greet = (name: string): string => "Hello ☃ " + name;\n',
  'src/page.txt': 'a page\n',
  'config.json': '{ "name": "shop" }\n',
  'node_modules/left/package.json':
    '{ "name": "left", "version": "1.2.3", "license": "MIT OR Apache-2.0", "main": "lib" }',
  'node_modules/left/lib/index.js': 'exports.pad = (text) => require("./pad")(text);\n',
  'node_modules/left/lib/pad.js': 'module.exports = (text) => " " + text;\n',
};
