import { z } from 'zod';
import { derivedId, reservationId } from '../domain/identifiers.ts';
import type { SessionRejection } from '../domain/session/index.ts';
import type { Passwords } from '../platform/password/port.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, onNewStream, sha256 } from './envelope.ts';
import { emailField, knownPasswordField } from './fields.ts';
import { done, notSent, type Outcome } from './outcome.ts';
import { isExpired, passwordExpired } from './passwordRules.ts';
import { mintToken } from './tokens.ts';
import { userAgentOf } from './userAgent.ts';

export const openSessionSchema = z.strictObject({ email: emailField, password: knownPasswordField });
export type OpenSession = z.output<typeof openSessionSchema>;

export const sessionMs = 12 * 60 * 60 * 1000;

type Deps = {
  readonly aggregates: Aggregates;
  readonly passwords: Passwords;
  readonly secretKey: Uint8Array;
  readonly clock: { now(): number };
};

export type OpenedSession = {
  readonly sessionId: string;
  readonly userId: string;
  readonly token: string;
  readonly expiresAt: number;
  /** The password was made by the program: until it is changed, the session is good for little else. */
  readonly mustChangePassword: boolean;
};

/** An address that nobody has and a wrong password get the same answer after the same time. */
export const openSession = async (
  { aggregates, passwords, secretKey, clock }: Deps,
  { email, password }: OpenSession,
  userAgent: string,
  envelope: Envelope,
): Promise<Outcome<OpenedSession, SessionRejection | 'CredentialsInvalid' | 'PasswordExpired'>> => {
  const { state: reservation } = await aggregates.reservation.load(reservationId(sha256, 'email', email));
  const userId = reservation.status === 'reserved' ? reservation.ownerId : '';
  const { state: user } = await aggregates.user.load(userId === '' ? nobody : userId);
  const known = user.status === 'registered' ? user.passwordHash : undefined;
  if (!(await passwords.verify(known, password))) {
    return notSent('CredentialsInvalid', 'The address or the password is wrong.');
  }
  // Told to those alone who know the password.
  const initialUntil = user.status === 'registered' ? user.initialUntil : 0;
  if (isExpired(initialUntil, clock.now())) return passwordExpired;
  await upgrade({ aggregates, passwords }, userId, known, password, envelope);
  // Of the state that the password was checked against: one that changed meanwhile ends this session, too.
  const epoch = user.status === 'registered' ? user.sessionEpoch : 0;
  const sessionId = derivedId(sha256, 'session', envelope.commandId);
  const { token, digest } = mintToken(secretKey, 'session', sessionId);
  const expiresAt = clock.now() + sessionMs;
  const sent = await aggregates.session.send(
    sessionId,
    {
      type: 'OpenSession',
      data: { userId, tokenDigest: digest, expiresAt, epoch, userAgent: userAgentOf(userAgent) },
    },
    { ...onNewStream(envelope), actor: { kind: 'user', id: userId } },
  );
  if (!sent.ok) return sent;
  const opened = sent.state.status === 'absent' ? expiresAt : sent.state.expiresAt;
  const mustChangePassword = initialUntil !== 0;
  return done({ sessionId, userId, token, expiresAt: opened, mustChangePassword }, sent, sent);
};

/** What somebody just proved is kept under the hash of today. Whether that succeeds is nothing to the sign-in. */
const upgrade = async (
  { aggregates, passwords }: Pick<Deps, 'aggregates' | 'passwords'>,
  userId: string,
  from: string | undefined,
  password: string,
  envelope: Envelope,
): Promise<void> => {
  if (from === undefined || envelope.dryRun || !passwords.isOutdated(from)) return;
  const { expectedRevision: _, ...rest } = envelope;
  const commandId = derivedId(sha256, 'rehash', envelope.commandId);
  const request = { ...rest, commandId, commandDigest: '', actor: { kind: 'user', id: userId } } as const;
  try {
    const data = { from, to: await passwords.hash(password) };
    await aggregates.user.send(userId, { type: 'RehashUserPassword', data }, request);
  } catch {
    // The next sign-in tries again.
  }
};

/** Read when nobody has the address, so that the log is asked as often as for somebody who is there. */
const nobody = '00000000-0000-0000-0000-000000000000';
