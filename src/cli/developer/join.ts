import { z } from 'zod';
import { answerOf, createClient } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { Failure } from '../failure.ts';
import { openSession } from './openSession.ts';
import { readProfile, writeProfile } from './profile.ts';
import { ask, chooseSecret, readSecret } from './prompt.ts';
import { remoteCommand } from './remote.ts';
import { defaultUrl, normaliseUrl, warnWhenInTheClear } from './server.ts';

const args = z.object({ url: z.string().optional(), token: z.string().optional(), name: z.string().optional() });
type Given = { readonly invitation: string; readonly password: string | undefined };

export const run = remoteCommand(args, async ({ url: givenUrl, token, name }, cli) => {
  const profile = await readProfile(cli.env);
  const url = normaliseUrl(givenUrl ?? cli.env['OPSLOG_URL'] ?? (profile.current || defaultUrl));
  warnWhenInTheClear(cli, url);
  const { invitation, password: givenPassword } = await readInvitation(cli, token);
  const stranger = createClient({ url });
  const { signal } = cli;
  const shown = await answerOf(stranger.POST('/auth/invitations/show', { body: { token: invitation }, signal }));
  const account = profile.servers[url];
  if (shown.hasAccount) {
    if (account?.kind !== 'session') throw signInFirst(url, shown.email);
    const client = createClient({ url, token: account.token });
    const joined = await answerOf(client.POST('/auth/invitations/accept', { body: { token: invitation }, signal }));
    cli.answer({ ok: true, joined }, `You are ${joined.role} of ${joined.workspaceName}.`);
    return;
  }
  cli.note(`${shown.workspaceName} invites ${shown.email} as ${shown.role}. This makes an account of that address.`);
  const displayName = name ?? (await ask(cli, 'Your name', { option: '--name' }));
  const password = givenPassword ?? (await chooseSecret(cli, '--token - and a second line of standard input'));
  const body = { token: invitation, displayName, password };
  const joined = await answerOf(stranger.POST('/auth/invitations/register', { body, signal }));
  const session = await openSession(stranger, { email: joined.email, password }, signal);
  const { servers } = await readProfile(cli.env);
  const own = { token: session.token, email: joined.email, kind: 'session' } as const;
  await writeProfile(cli.env, { current: url, servers: { ...servers, [url]: own } });
  cli.answer({ ok: true, joined }, `You are ${joined.role} of ${joined.workspaceName}, and signed in.`);
});

/** Both lines of standard input, or the token alone. */
const readInvitation = async (cli: Cli, given: string | undefined): Promise<Given> => {
  if (given !== '-') {
    const invitation = given ?? (await ask(cli, 'Token of the invitation', { secret: true, option: '--token' }));
    return { invitation, password: undefined };
  }
  const [invitation = '', password] = (await readSecret(cli)).split(/\r?\n/);
  return { invitation, password };
};

const signInFirst = (url: string, email: string): Failure =>
  new Failure(`${email} has an account here.`, {
    code: 'sign_in_required',
    hint: `Run "opslog login --url ${url} --email ${email}", then "opslog join" again.`,
  });
