import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { command } from '../command.ts';
import { Failure } from '../failure.ts';
import { starterFiles } from './starter.ts';

const args = z.object({
  folder: z.string().default('.'),
  workspace: z.string().default(''),
  department: z.string().default(''),
});

/** Writes a starter worker; refuses before it writes anything when one of its files is already there. */
export const run = command(args, async ({ folder, workspace, department }, cli) => {
  const root = resolve(cli.cwd, folder);
  const name =
    basename(root)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'worker';
  const files = starterFiles({ name, workspace, department });
  await mkdir(root, { recursive: true });
  const there = new Set(await readdir(root, { recursive: true }));
  const clash = Object.keys(files).filter((path) => there.has(path));
  if (clash.length > 0) {
    throw new Failure(`${root} already has ${clash.join(', ')}; nothing was written.`, {
      code: 'folder_taken',
      hint: 'Choose another folder: opslog init my-worker',
    });
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text, { flag: 'wx' });
  }
  const shown = relative(cli.cwd, root) || '.';
  const listing = Object.keys(files).map((path) => `  ${path}`);
  cli.answer(
    { ok: true, folder: root, files: Object.keys(files) },
    [
      `Wrote a starter worker to ${shown}:`,
      ...listing,
      '',
      'Next:',
      `  opslog deploy${shown === '.' ? '' : ` ${shown}`}`,
    ].join('\n'),
  );
});
