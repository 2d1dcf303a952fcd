import { z } from 'zod';
import { command } from '../command.ts';
import { usersResetPassword } from '../operations/usersResetPassword.ts';
import { perform } from './node.ts';

const args = z.object({ email: z.string(), data: z.string().optional() });

export const run = command(args, async ({ email, data }, cli) => {
  const reset = await perform(cli, data, usersResetPassword, { email }, () => {});
  cli.note(
    `Every session of ${reset.email} has ended. The new password, shown now and never again; it lasts a day, and is changed with "opslog password":`,
  );
  cli.answer({ ok: true, ...reset }, reset.password);
});
