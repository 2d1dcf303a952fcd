import type { UserEvent } from '../../domain/user/index.ts';
import type { UserAnswer } from '../answers.ts';
import type { ReadDatabase } from '../schema.ts';
import { string, table, timestamp } from '../table.ts';
import { cut } from '../text.ts';

/**
 * Who exists. No password hash: signing in folds the user's stream, so a copy here would serve nobody but the thief of a
 * database dump.
 */
export const users = table<UserEvent>()({
  name: 'users',
  version: 2,
  columns: {
    id: string(64),
    email: string(320),
    display_name: string(255),
    /** Cost of a scrypt hash that was imported and not replaced yet, `ln=16,r=8,p=1`; nothing else of a hash. */
    imported_cost: string(32),
    created_at: timestamp(),
    password_changed_at: timestamp(),
  },
  primaryKey: ['id'],
  unique: { uq_user_email: ['email'] },
  on: {
    UserRegistered: ({ data, meta }, rows) =>
      rows.insert({
        id: meta.subjectId,
        email: data.email,
        display_name: cut(data.displayName, 255),
        imported_cost: importedCostOf(data.passwordHash),
        created_at: meta.recordedAt,
        password_changed_at: meta.recordedAt,
      }),
    UserPasswordRehashed: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, { imported_cost: importedCostOf(data.passwordHash) }),
    UserSessionsEnded: 'ignored',
    UserPasswordReplaced: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        imported_cost: importedCostOf(data.passwordHash),
        password_changed_at: meta.recordedAt,
      }),
  },
});

const importedCostOf = (passwordHash: string): string =>
  /^\$scrypt\$(ln=\d+,r=\d+,p=\d+)\$/.exec(passwordHash)?.[1] ?? '';

/** Costs of all imported hashes that are still in use, across tenants. */
export const listImportedCosts = async (db: ReadDatabase): Promise<readonly string[]> => {
  const rows = await db
    .selectFrom('users')
    .select('imported_cost')
    .where('imported_cost', '<>', '')
    .groupBy('imported_cost')
    .execute();
  return rows.map((row) => row.imported_cost);
};

export const findUser = async (db: ReadDatabase, { userId }: { userId: string }): Promise<UserAnswer | undefined> => {
  const row = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst();
  return row && { id: row.id, email: row.email, displayName: row.display_name, createdAt: row.created_at };
};
