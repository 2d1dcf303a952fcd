import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../failure.ts';

const account = z.object({
  token: z.string().min(1),
  /** Who signed in, for people to recognise; '' with an API token. */
  email: z.string().default(''),
  /** Logout ends a session; an API token is not ours to revoke. */
  kind: z.enum(['session', 'apiToken']),
});
const profile = z.object({ current: z.string().default(''), servers: z.record(z.string(), account).default({}) });

export type Account = z.infer<typeof account>;
/** Whom we are to which Opslog: a token is only ever sent to the URL that it is kept under. */
export type Profile = z.infer<typeof profile>;

type Env = Readonly<Record<string, string | undefined>>;

export const profilePath = (env: Env): string =>
  join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'opslog', 'profile.json');

export const readProfile = async (env: Env): Promise<Profile> => {
  const path = profilePath(env);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw new Failure(`Cannot read ${path}: ${error.message}`, { code: 'profile_unreadable' });
  });
  const parsed = profile.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new Failure(`${path} is not a profile that opslog wrote.`, {
      code: 'profile_broken',
      hint: 'Remove it and run "opslog login" again.',
    });
  }
  return parsed.data;
};

/** Only the owner may read what is written; a crash leaves the old file or the new one. */
export const writeProfile = async (env: Env, next: Profile): Promise<string> => {
  const path = profilePath(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return path;
};

/** True when somebody else on this machine can read the tokens. */
export const profileIsExposed = async (env: Env): Promise<boolean> => {
  const found = await stat(profilePath(env)).catch(() => undefined);
  return found !== undefined && process.platform !== 'win32' && (found.mode & 0o077) !== 0;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
