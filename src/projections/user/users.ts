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
  version: 1,
  columns: {
    id: string(64),
    email: string(320),
    display_name: string(255),
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
        created_at: meta.recordedAt,
        password_changed_at: meta.recordedAt,
      }),
    UserPasswordRehashed: 'ignored',
    UserSessionsEnded: 'ignored',
    UserPasswordReplaced: ({ meta }, rows) => rows.patch(meta.subjectId, { password_changed_at: meta.recordedAt }),
  },
});

export const findUser = async (db: ReadDatabase, { userId }: { userId: string }): Promise<UserAnswer | undefined> => {
  const row = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst();
  return row && { id: row.id, email: row.email, displayName: row.display_name, createdAt: row.created_at };
};
