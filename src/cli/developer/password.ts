import { z } from 'zod';
import { createClient, done } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { usage } from '../failure.ts';
import { ask, chooseSecret, readSecret } from './prompt.ts';
import { remoteCommand } from './remote.ts';
import { findServer, warnWhenInTheClear } from './server.ts';

const args = z.object({ url: z.string().optional(), stdin: z.boolean().default(false) });

export const run = remoteCommand(args, async ({ url: given, stdin }, cli) => {
  const { url, token } = await findServer(cli, given);
  warnWhenInTheClear(cli, url);
  const body = stdin ? await readBoth(cli) : await askBoth(cli);
  await done(createClient({ url, token }).POST('/auth/password', { body, signal: cli.signal }));
  cli.answer({ ok: true, url }, 'The password is changed. Every other session of yours has ended.');
});

type Both = { readonly currentPassword: string; readonly newPassword: string };

const readBoth = async (cli: Cli): Promise<Both> => {
  const [currentPassword = '', newPassword = '', ...more] = (await readSecret(cli)).split(/\r?\n/);
  if (newPassword !== '' && more.length === 0) return { currentPassword, newPassword };
  throw usage('Standard input must hold two lines.', 'The current password is the first, the new one the second.');
};

const askBoth = async (cli: Cli): Promise<Both> => {
  const option = '--stdin and two lines';
  const currentPassword = await ask(cli, 'The current password', { secret: true, option });
  return { currentPassword, newPassword: await chooseSecret(cli, option) };
};
