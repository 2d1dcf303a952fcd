import { z } from 'zod';
import type { ApiTokenRejection } from '../domain/apiToken/index.ts';
import { derivedId } from '../domain/identifiers.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, onNewStream, sha256 } from './envelope.ts';
import { idField, roleField } from './fields.ts';
import { done, type Outcome } from './outcome.ts';
import { nameField } from './texts.ts';
import { mintToken } from './tokens.ts';

export const issueApiTokenSchema = z.strictObject({
  name: nameField,
  role: roleField,
  departmentId: idField.optional().meta({ description: 'Limits the token to one department.' }),
  expiresInDays: z
    .number()
    .int()
    .min(1)
    .max(3650)
    .optional()
    .meta({ description: 'Without it the token never expires.' }),
});
export type IssueApiToken = z.output<typeof issueApiTokenSchema>;

type Deps = {
  readonly aggregates: Aggregates;
  readonly secretKey: Uint8Array;
  readonly clock: { now(): number };
};

const dayMs = 24 * 60 * 60 * 1000;

export type IssuedApiToken = {
  readonly tokenId: string;
  readonly name: string;
  readonly role: IssueApiToken['role'];
  /** '' for every department, 0 for never. */
  readonly departmentId: string;
  readonly expiresAt: number;
  readonly token: string;
};

/** The token itself is in the answer and nowhere else; the log holds its digest. */
export const issueApiToken = async (
  { aggregates, secretKey, clock }: Deps,
  workspaceId: string,
  { name, role, departmentId = '', expiresInDays }: IssueApiToken,
  envelope: Envelope,
): Promise<Outcome<IssuedApiToken, ApiTokenRejection>> => {
  const tokenId = derivedId(sha256, 'apiToken', envelope.commandId);
  const { token, digest } = mintToken(secretKey, 'apiToken', tokenId);
  const expiresAt = expiresInDays === undefined ? 0 : clock.now() + expiresInDays * dayMs;
  const data = { workspaceId, name, digest, role, departmentId, expiresAt, issuedBy: envelope.actor };
  const sent = await aggregates.apiToken.send(tokenId, { type: 'IssueApiToken', data }, onNewStream(envelope));
  if (!sent.ok) return sent;
  const issued = sent.state.status === 'absent' ? expiresAt : sent.state.expiresAt;
  return done({ tokenId, name, role, departmentId, expiresAt: issued, token }, sent, sent);
};
