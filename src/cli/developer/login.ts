import { z } from 'zod';
import { answerOf, createClient } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { usage } from '../failure.ts';
import { openSession } from './openSession.ts';
import { type Account, readProfile, writeProfile } from './profile.ts';
import { ask, readSecret } from './prompt.ts';
import { remoteCommand } from './remote.ts';
import { acceptableToken, defaultUrl, normaliseUrl, warnWhenInTheClear } from './server.ts';

const args = z.object({
  url: z.string().optional(),
  email: z.string().optional(),
  passwordStdin: z.boolean().default(false),
  token: z.string().optional(),
});
type Args = z.infer<typeof args>;

export const run = remoteCommand(args, async (given, cli) => {
  if (given.token !== undefined && (given.passwordStdin || given.email !== undefined)) {
    throw usage('Give --token, or --email with a password, not both.');
  }
  const profile = await readProfile(cli.env);
  const url = normaliseUrl(given.url ?? cli.env['OPSLOG_URL'] ?? (profile.current || defaultUrl));
  warnWhenInTheClear(cli, url);
  const account = given.token === undefined ? await signIn(cli, url, given) : await useToken(cli, url, given.token);
  // Read again: another login may have been written while this one waited for a password.
  const { servers } = await readProfile(cli.env);
  const path = await writeProfile(cli.env, { current: url, servers: { ...servers, [url]: account } });
  const who = account.email === '' ? 'with an API token' : `as ${account.email}`;
  cli.answer({ ok: true, url, email: account.email, kind: account.kind, profile: path }, `Signed in to ${url} ${who}.`);
});

const signIn = async (cli: Cli, url: string, { email: given, passwordStdin }: Args): Promise<Account> => {
  const email = given ?? (await ask(cli, 'E-mail', { option: '--email' }));
  const password = passwordStdin
    ? await readSecret(cli)
    : await ask(cli, 'Password', { secret: true, option: '--password-stdin' });
  const { token, mustChangePassword } = await openSession(createClient({ url }), { email, password }, cli.signal);
  if (mustChangePassword)
    cli.note('This password was made for you: change it with "opslog password" before anything else.');
  return { token, email, kind: 'session' };
};

/** A token is tried before it is kept. */
const useToken = async (cli: Cli, url: string, given: string): Promise<Account> => {
  const token = acceptableToken(given === '-' ? await readSecret(cli) : given);
  const me = await answerOf(createClient({ url, token }).GET('/auth/me', { signal: cli.signal }));
  return me.kind === 'user' ? { token, email: me.email, kind: 'session' } : { token, email: '', kind: 'apiToken' };
};
