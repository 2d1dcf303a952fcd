import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { answerOf } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { usage } from '../failure.ts';
import { ask, readSecret } from './prompt.ts';
import { remoteCommand } from './remote.ts';
import { findTarget, isFolder, targetArgs } from './target.ts';

const args = targetArgs.extend({ name: z.string(), file: z.string().optional() });

/** The value never comes as an argument: those are in the list of processes and in the history of the shell. */
export const run = remoteCommand(args, async ({ name, file, ...where }, cli) => {
  // What stands in the place of the folder may be the value: it is not repeated.
  if (!(await isFolder(resolve(cli.cwd, where.folder)))) throw usage('There is no folder of this name.', howToGive);
  const value = await readValue(cli, name, file);
  const { client, path } = await findTarget(cli, where);
  const { version, digest } = await answerOf(
    client.PUT('/workspaces/{workspaceId}/departments/{departmentId}/worker/secrets/{name}', {
      params: { path: { ...path, name } },
      body: { value },
      signal: cli.signal,
    }),
  );
  const secret = { name, version, digest };
  cli.answer(
    { ok: true, secret },
    `${name} is at version ${version} (digest ${digest}). The next revision with it under "secretNames" reads it.`,
  );
});

const howToGive =
  'A value is never an argument: give it with --file or on standard input, or type it when you are asked.';

const readValue = async (cli: Cli, name: string, file: string | undefined): Promise<string> => {
  if (file !== undefined && file !== '-') return fileText(resolve(cli.cwd, file));
  if (file === undefined && cli.interactive) return ask(cli, `Value of ${name}`, { option: '--file', secret: true });
  return readSecret(cli);
};

const longest = 5 * 1024;

const fileText = async (path: string): Promise<string> => {
  const bytes = await readFile(path).catch((error: unknown) => {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'no reason given';
    throw usage(`The file ${path} cannot be read (${why}).`);
  });
  if (bytes.length > longest) throw usage(`The file ${path} is too large: a secret has ${longest} bytes at most.`);
  return bytes.toString('utf8').replace(/\r?\n$/, '');
};
