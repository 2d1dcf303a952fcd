import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../failure.ts';

export const settingsFile = 'opslog.json';

/** Where the worker belongs. How it is built is in the same file, for the server to read. */
const settings = z.object({
  /** Id or slug; '' when the caller has only one. */
  workspace: z.string().default(''),
  department: z.string().default(''),
});

/** What opslog.json in the folder of a worker says about it. */
export type WorkerSettings = z.infer<typeof settings>;

/** Undefined when the folder has no opslog.json. */
export const readSettings = async (folder: string): Promise<WorkerSettings | undefined> => {
  const path = join(folder, settingsFile);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Failure(`Cannot read ${path}: ${error.message}`, { code: 'settings_unreadable' });
  });
  if (text === undefined) return undefined;
  const parsed = settings.safeParse(parse(text, path));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path: at, message }) => `  ${at.join('.') || '(whole file)'}: ${message}`);
  throw new Failure(`${path} is not right:\n${faults.join('\n')}`, { code: 'settings_invalid' });
};

const parse = (text: string, path: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw new Failure(`${path} is not JSON: ${reason}`, { code: 'settings_invalid' });
  }
};
