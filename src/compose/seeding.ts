import { type Seeded, seed } from '../commands/seed.ts';
import type { Parts } from '../parts.ts';
import { systemClock } from '../platform/clock/system.ts';
import { createPasswords } from '../platform/password/argon2.ts';

/** A fresh store gets an administrator and a Main Workspace, once; a store that has them is left alone. */
export const seedInstallation = async ({ config, aggregates, folder, scope }: Parts): Promise<Seeded> => {
  const { email, password } = config.admin;
  const deps = { aggregates, passwords: createPasswords(), secretKey: folder.secretKey, clock: systemClock, scope };
  return seed(deps, { email, ...(password !== undefined && { password }) });
};
