import type { SessionEvent } from '../../domain/session/index.ts';
import { nullable, string, table, timestamp } from '../table.ts';

/** Who is signed in until when. No digest of the bearer token: the guard folds the session's stream. */
export const sessions = table<SessionEvent>()({
  name: 'sessions',
  version: 1,
  columns: {
    id: string(64),
    user_id: string(64),
    expires_at: timestamp(),
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
        expires_at: data.expiresAt,
        created_at: meta.recordedAt,
      }),
    SessionRevoked: ({ meta }, rows) => rows.patch(meta.subjectId, { revoked_at: meta.recordedAt }),
  },
});
