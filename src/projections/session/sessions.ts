import type { SessionEvent } from '../../domain/session/index.ts';
import type { UserEvent } from '../../domain/user/index.ts';
import type { Page, PageArgs, SessionAnswer } from '../answers.ts';
import { afterCursor, pageOf } from '../page.ts';
import type { ReadDatabase } from '../schema.ts';
import { at, nullable, string, table, timestamp } from '../table.ts';
import { cut, orNull } from '../text.ts';

/** Who is signed in until when. No digest of the bearer token: the guard folds the session's stream. */
export const sessions = table<SessionEvent | UserEvent>()({
  name: 'sessions',
  version: 2,
  columns: {
    id: string(64),
    user_id: string(64),
    user_agent: string(255),
    expires_at: timestamp(),
    used_at: nullable(timestamp()),
    revoked_at: nullable(timestamp()),
    created_at: timestamp(),
  },
  primaryKey: ['id'],
  indexes: { ix_session_user: ['user_id'] },
  on: {
    SessionOpened: ({ data, meta }, rows) =>
      rows.insert({
        id: meta.subjectId,
        user_id: data.userId,
        user_agent: cut(data.userAgent ?? '', 255),
        expires_at: data.expiresAt,
        created_at: meta.recordedAt,
      }),
    SessionUsed: ({ data, meta }, rows) => rows.patch(meta.subjectId, { used_at: data.usedAt }),
    SessionRevoked: ({ meta }, rows) => rows.patch(meta.subjectId, { revoked_at: meta.recordedAt }),
    UserSessionsEnded: ({ data, meta }, rows) => {
      rows.patchWhere({ user_id: meta.subjectId }, { revoked_at: meta.recordedAt });
      // The one that asked for it: it was open a moment ago.
      if (data.keptSessionId !== '') rows.patch(data.keptSessionId, { revoked_at: null });
    },
    UserRegistered: 'ignored',
    UserPasswordReplaced: 'ignored',
    UserPasswordRehashed: 'ignored',
  },
});

/** Those that can still be used, oldest first. */
export const listSessionsOfUser = async (
  db: ReadDatabase,
  { userId, now, limit, after }: PageArgs & { readonly userId: string; readonly now: number },
): Promise<Page<SessionAnswer>> => {
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at(now))
    .$if(after !== undefined, (query) => query.where(afterCursor('created_at', 'id', after)))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  const answers = rows.map((row) => ({
    id: row.id,
    userAgent: orNull(row.user_agent),
    createdAt: row.created_at,
    usedAt: row.used_at,
    expiresAt: row.expires_at,
  }));
  return pageOf(answers, limit, (row) => ({ key: row.createdAt, id: row.id }));
};
