import { z } from 'zod';
import { importedUserSchema, importUser } from '../../commands/operatorUsers.ts';
import { parseArgon2 } from '../../platform/password/argon2Hash.ts';
import { parseScrypt } from '../../platform/password/scrypt.ts';
import { type Operation, OperationRefused } from './operation.ts';

/** `line` counts from 1 in the file that they came from. */
const args = z.strictObject({
  users: z.array(z.strictObject({ line: z.int().positive(), user: z.unknown() })).max(200),
});
const result = z.object({ imported: z.number(), present: z.number() });

const isAcceptable = (hash: string): boolean => parseScrypt(hash) !== undefined || parseArgon2(hash) !== undefined;

/** Accounts with hashes from elsewhere. All are checked before the first is written; what is wrong is named by its line. */
export const usersImport: Operation<z.infer<typeof args>, never, z.infer<typeof result>> = {
  name: 'users-import',
  args,
  progress: z.never(),
  result,
  run: async ({ aggregates }, { users }) => {
    const checked = users.map(({ line, user }) => {
      const parsed = importedUserSchema.safeParse(user);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        const where = issue?.path.join('.') ?? '';
        throw new OperationRefused('user_invalid', `Line ${line}: ${where}: ${issue?.message ?? 'not acceptable'}`);
      }
      if (!isAcceptable(parsed.data.passwordHash)) {
        throw new OperationRefused(
          'password_hash_invalid',
          `Line ${line}: passwordHash: not $argon2id$v=19$m=…,t=…,p=…$salt$hash with at most 64 MiB and 8 passes, nor ` +
            '$scrypt$ln=…,r=…,p=…$salt$hash with ln from 14 to 17 and at most 128 MiB in all.',
        );
      }
      return parsed.data;
    });
    const outcomes: string[] = [];
    for (const user of checked) outcomes.push(await importUser({ aggregates }, user));
    const imported = outcomes.filter((each) => each === 'imported').length;
    return { imported, present: outcomes.length - imported };
  },
};
