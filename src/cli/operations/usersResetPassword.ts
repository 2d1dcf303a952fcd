import { z } from 'zod';
import { emailField } from '../../commands/fields.ts';
import { resetPassword } from '../../commands/operatorUsers.ts';
import { systemClock, systemRandom } from '../../platform/clock/system.ts';
import { createPasswords } from '../../platform/password/argon2.ts';
import { type Operation, OperationRefused } from './operation.ts';

const args = z.strictObject({ email: z.string() });
const result = z.object({ userId: z.string(), email: z.string(), password: z.string() });

/** A new password, shown once and to be changed within a day; every session of the account ends. */
export const usersResetPassword: Operation<z.infer<typeof args>, never, z.infer<typeof result>> = {
  name: 'users-reset-password',
  args,
  progress: z.never(),
  result,
  run: async ({ aggregates, folder }, { email: given }) => {
    const email = emailField.safeParse(given);
    const deps = { aggregates, passwords: createPasswords(), secretKey: folder.secretKey, clock: systemClock };
    const reset = email.success ? await resetPassword(deps, email.data, systemRandom.uuid()) : undefined;
    if (!email.success || !reset) throw new OperationRefused('user_not_found', `Nobody has the address ${given}.`);
    return { ...reset, email: email.data };
  },
};
