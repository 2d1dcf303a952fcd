import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { command } from '../command.ts';
import { usage } from '../failure.ts';
import { usersImport } from '../operations/usersImport.ts';
import { perform } from './node.ts';

const args = z.object({ file: z.string(), data: z.string().optional() });

/** Few enough for one message to the server. */
const atOnce = 50;

const parse = (text: string, line: number): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw usage(`Line ${line} is no JSON.`, 'Each line is one object: {"email":…,"displayName":…,"passwordHash":…}.');
  }
};

export const run = command(args, async ({ file, data }, cli) => {
  const text = await readFile(resolve(cli.cwd, file), 'utf8').catch((error: unknown) => {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'no reason given';
    throw usage(`The file ${file} cannot be read (${why}).`);
  });
  const users = text
    .split('\n')
    .map((content, index) => ({ content, line: index + 1 }))
    .filter(({ content }) => content.trim() !== '')
    .map(({ content, line }) => ({ line, user: parse(content, line) }));
  const total = { imported: 0, present: 0 };
  for (let first = 0; first < users.length; first += atOnce) {
    const part = { users: users.slice(first, first + atOnce) };
    const { imported, present } = await perform(cli, data, usersImport, part, () => {});
    total.imported += imported;
    total.present += present;
  }
  const { imported, present } = total;
  cli.answer({ ok: true, ...total }, `${imported} accounts imported; ${present} were here and are as they were.`);
});
