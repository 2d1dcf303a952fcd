import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import { type BuildKey, keyIdOf } from './keys.ts';

/** DSSE, version 1: a payload and a signature over its type and bytes. */
const envelopeForm = z.strictObject({
  payloadType: z.string(),
  payload: z.string(),
  signatures: z.tuple([z.strictObject({ keyid: z.string(), sig: z.string() })]),
});

export type Opened =
  | { readonly ok: true; readonly payload: string; readonly keyId: string }
  | { readonly ok: false; readonly problem: 'EnvelopeMalformed' | 'KeyUnknown' | 'SignatureInvalid' };

/** What is signed: lengths and contents of type and payload, so that neither can be shifted into the other. */
const preAuthEncoding = (payloadType: string, payload: Uint8Array): Uint8Array =>
  Buffer.concat([
    Buffer.from(`DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `),
    Buffer.from(payload),
  ]);

export type Envelope = { payloadType: string; payload: string; signatures: { keyid: string; sig: string }[] };

export const sealedEnvelope = (payloadType: string, payload: string, signer: BuildKey): Envelope => {
  const bytes = Buffer.from(payload);
  const sig = Buffer.from(signer.sign(preAuthEncoding(payloadType, bytes))).toString('base64');
  return { payloadType, payload: bytes.toString('base64'), signatures: [{ keyid: signer.keyId, sig }] };
};

export const sealEnvelope = (payloadType: string, payload: string, signer: BuildKey): string =>
  JSON.stringify(sealedEnvelope(payloadType, payload, signer));

/**
 * Opens an envelope of one of these public keys (PEM). Only the exact text that sealEnvelope writes is accepted: the
 * signature doesn't cover the envelope's own spelling, so a change there would go unseen.
 */
export const openEnvelope = (text: string, payloadType: string, publicKeys: readonly string[]): Opened => {
  const parsed = envelopeForm.safeParse(parseJson(text));
  if (!parsed.success || JSON.stringify(parsed.data) !== text) return { ok: false, problem: 'EnvelopeMalformed' };
  const [{ keyid, sig }] = parsed.data.signatures;
  const payload = strictBase64(parsed.data.payload);
  const signature = strictBase64(sig);
  if (payload === undefined || signature === undefined || parsed.data.payloadType !== payloadType)
    return { ok: false, problem: 'EnvelopeMalformed' };
  const key = publicKeys.map((pem) => createPublicKey(pem)).find((candidate) => keyIdOf(candidate) === keyid);
  if (key === undefined) return { ok: false, problem: 'KeyUnknown' };
  const valid =
    key.asymmetricKeyType === 'ed25519' && verify(null, preAuthEncoding(payloadType, payload), key, signature);
  return valid ? { ok: true, payload: payload.toString(), keyId: keyid } : { ok: false, problem: 'SignatureInvalid' };
};

/** Base64 has several spellings of the same bytes; only the usual one counts. */
const strictBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
};

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
