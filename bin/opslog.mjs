#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const entry = new URL('../dist/opslog.js', import.meta.url);
if (!existsSync(fileURLToPath(entry))) {
  process.stderr.write('opslog: dist/ is missing. Run "npm run build" once, then try again.\n');
  process.exit(1);
}
await import(entry.href);
