import { z } from 'zod';
import { type Envelope, openEnvelope, parseJson, sealedEnvelope } from './dsse.ts';
import type { BuildKey } from './keys.ts';

export const HEAD_TYPE = 'application/vnd.opslog.audit-head.v1+json';

const headForm = z.strictObject({
  workspaceId: z.string(),
  /** Number of the newest entry; 0 when there was none. */
  sequence: z.number().int().min(0),
  hash: z.string(),
  /** Of that entry in the log, decimal. */
  position: z.string(),
  /** When it was signed, RFC 3339. */
  at: z.string(),
});
export type SignedHead = z.infer<typeof headForm>;

export type HeadProblem = 'EnvelopeMalformed' | 'KeyUnknown' | 'SignatureInvalid' | 'StatementUnsupported';

export type OpenedHead =
  | { readonly ok: true; readonly head: SignedHead; readonly keyId: string }
  | { readonly ok: false; readonly problem: HeadProblem; readonly keyId: string };

/** A DSSE envelope; as JSON without white space it is the text that opens again. Whoever keeps it can prove later that the chain was cut or replaced. */
export const sealHead = ({ workspaceId, sequence, hash, position, at }: SignedHead, signer: BuildKey): Envelope =>
  sealedEnvelope(HEAD_TYPE, JSON.stringify({ workspaceId, sequence, hash, position, at }), signer);

/** Opens an envelope of one of these public keys (PEM). White space around and a line break at its end do not matter. */
export const openHead = (text: string, publicKeys: readonly string[]): OpenedHead => {
  const opened = openEnvelope(text.trim(), HEAD_TYPE, publicKeys);
  if (!opened.ok) return { ...opened, keyId: keyIdIn(text) };
  const head = headForm.safeParse(parseJson(opened.payload));
  if (!head.success) return { ok: false, problem: 'StatementUnsupported', keyId: opened.keyId };
  return { ok: true, head: head.data, keyId: opened.keyId };
};

const signed = z.object({ signatures: z.array(z.object({ keyid: z.string() })) });

/** Which key it says it was signed with, so that one can look for it; '' when it does not say. */
const keyIdIn = (text: string): string => signed.safeParse(parseJson(text)).data?.signatures[0]?.keyid ?? '';
