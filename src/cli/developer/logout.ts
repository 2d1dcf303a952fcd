import { z } from 'zod';
import { createClient, done, OpslogProblem, OpslogUnreachable } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { type Account, readProfile, writeProfile } from './profile.ts';
import { remoteCommand } from './remote.ts';
import { defaultUrl, normaliseUrl } from './server.ts';

const args = z.object({ url: z.string().optional() });

/** The token is forgotten here in any case; the server is told when it can be. */
export const run = remoteCommand(args, async ({ url: given }, cli) => {
  const profile = await readProfile(cli.env);
  const url = normaliseUrl(given ?? cli.env['OPSLOG_URL'] ?? (profile.current || defaultUrl));
  const { [url]: account, ...servers } = profile.servers;
  if (account === undefined) {
    cli.answer({ ok: true, url, revoked: false }, `Not signed in to ${url}.`);
    return;
  }
  await writeProfile(cli.env, { current: profile.current === url ? '' : profile.current, servers });
  const revoked = account.kind === 'session' && (await revoke(cli, url, account));
  cli.answer({ ok: true, url, revoked }, `Signed out of ${url}.`);
});

const revoke = async (cli: Cli, url: string, { token }: Account): Promise<boolean> => {
  try {
    await done(createClient({ url, token }).DELETE('/auth/sessions', { signal: cli.signal }));
    return true;
  } catch (error) {
    if (error instanceof OpslogProblem && error.status === 401) return false;
    if (!(error instanceof OpslogProblem || error instanceof OpslogUnreachable)) throw error;
    cli.note(`${cli.paint.yellow('warning')}: the server could not end the session: ${error.message}`);
    return false;
  }
};
