import { z } from 'zod';
import {
  type CertificateFacts,
  type EdgeDomainRejection,
  isHeld,
  type SealedCertificate,
} from '../domain/edgeDomain/index.ts';
import type { Vault } from '../platform/vault/port.ts';
import type { Aggregates } from './aggregates.ts';
import { type CertificateMaterial, readCertificate } from './domainCertificate.ts';
import type { Envelope } from './envelope.ts';
import { secretInput } from './fields.ts';
import { done, notSent, type Outcome } from './outcome.ts';

const pemBytes = 64 * 1024;

export const putCertificateSchema = z.strictObject({
  certificate: z
    .string()
    .min(1)
    .max(pemBytes)
    .meta({ description: 'PEM: the certificate of the name, then its chain in order. Never shown again.' }),
  privateKey: z
    .string()
    .min(1)
    .max(pemBytes)
    .meta({ ...secretInput, description: 'PEM, not encrypted. Never shown again.' }),
});

type Tenant = { readonly workspaceId: string; readonly departmentId: string };
type Sealed = Pick<SealedCertificate, 'keyId' | 'encryptedData'>;

/** What a sealed certificate is bound to: it opens for nobody else, and for no other name. */
export const certificateBinding = (companyId: string, domainId: string, digest: string): readonly string[] => [
  ...[companyId, 'edge-domain-certificate', domainId, digest],
];

const unsealed: Sealed = { keyId: '', encryptedData: { iv: '', tag: '', data: '' } };

type PutDeps = {
  readonly aggregates: Pick<Aggregates, 'edgeDomain'>;
  readonly vault: Vault;
  readonly clock: { now(): number };
};

/** Nothing is sealed before everything else is known to be right. The same certificate again changes nothing. */
export const putDomainCertificate = async (
  { aggregates, vault, clock }: PutDeps,
  { workspaceId: companyId, departmentId }: Tenant,
  domainId: string,
  given: CertificateMaterial,
  envelope: Envelope,
): Promise<Outcome<CertificateFacts, EdgeDomainRejection | 'DomainCertificateInvalid'>> => {
  const { state } = await aggregates.edgeDomain.load(domainId);
  if (!isHeld(state) || state.companyId !== companyId || state.departmentId !== departmentId) {
    return notSent('DomainNotFound', 'This department has no such host name. Attach it first.');
  }
  const read = readCertificate(given, state.hostname, clock.now());
  if (!read.ok) return notSent('DomainCertificateInvalid', read.reason, { field: read.field });
  const { facts } = read;
  const text = JSON.stringify(read.material);
  const digest = vault.digest(text, [companyId, 'edge-domain-certificate', domainId]);
  const put = (sealed: Sealed, request: Envelope) =>
    aggregates.edgeDomain.send(
      domainId,
      { type: 'PutDomainCertificate', data: { companyId, departmentId, ...facts, ...sealed, digest } },
      request,
    );
  const rehearsed = await put(unsealed, { ...envelope, dryRun: true });
  if (!rehearsed.ok) return rehearsed;
  if (envelope.dryRun || rehearsed.replayed || rehearsed.events.length === 0) return done(facts, rehearsed, rehearsed);
  const sealed = await vault.seal(text, certificateBinding(companyId, domainId, digest));
  const sent = await put(sealed, envelope);
  // Somebody else stored the same, or this very request came twice: the key opens nothing that is kept.
  const isKept =
    sent.ok && sent.events.some(({ type, data }) => type === 'DomainCertificateStored' && data.keyId === sealed.keyId);
  if (!isKept) await vault.destroy(sealed.keyId).catch(() => undefined);
  return sent.ok ? done(facts, sent, sent) : sent;
};

export const removeDomainCertificate = async (
  { aggregates }: Pick<PutDeps, 'aggregates'>,
  { workspaceId: companyId, departmentId }: Tenant,
  domainId: string,
  envelope: Envelope,
): Promise<Outcome<Record<never, never>, EdgeDomainRejection>> => {
  const data = { companyId, departmentId };
  const sent = await aggregates.edgeDomain.send(domainId, { type: 'RemoveDomainCertificate', data }, envelope);
  return sent.ok ? done({}, sent, sent) : sent;
};

/** What a sealed certificate opened to; undefined for what is none. */
export const parseMaterial = (plaintext: string): CertificateMaterial | undefined =>
  z.object({ certificate: z.string(), privateKey: z.string() }).safeParse(parseJson(plaintext)).data;

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
