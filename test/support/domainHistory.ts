import type { Aggregates } from '../../src/commands/aggregates.ts';
import { type Envelope, sha256 } from '../../src/commands/envelope.ts';
import type { EdgeDomainCommand } from '../../src/domain/edgeDomain/index.ts';
import { edgeDomainId, edgeWorkerId, scriptNameOf } from '../../src/domain/identifiers.ts';

/** The part of a random history that is about host names. */
export const domainSteps = [
  ...(['claimDomain', 'claimDomain', 'attachDomain', 'attachDomain', 'refuseDomain', 'verifyDomain'] as const),
  ...(['detachDomain', 'confirmDetached', 'certifyDomain', 'certifyDomain', 'uncertifyDomain'] as const),
] as const;
export type DomainStep = (typeof domainSteps)[number];

export const isDomainStep = (what: string): what is DomainStep => domainSteps.some((each) => each === what);

type Owner = { readonly id: string; readonly workspaceId: string };

export const performDomainStep = async (
  aggregates: Aggregates,
  { what, choice }: { readonly what: DomainStep; readonly choice: number },
  { index, now, text }: { readonly index: number; readonly now: number; readonly text: string },
  { id: departmentId, workspaceId: companyId }: Owner,
  envelope: Envelope,
): Promise<void> => {
  const hostname = `www${choice % 6}.example.com`;
  const domainId = edgeDomainId(sha256, hostname);
  const { state } = await aggregates.edgeDomain.load(domainId);
  const claim = state.status === 'absent' ? 1 : state.claim;
  const owner = { companyId, departmentId };
  const facts = { seen: text };
  const command = (): EdgeDomainCommand => {
    switch (what) {
      case 'claimDomain': {
        const workerId = edgeWorkerId(sha256, departmentId);
        const scriptName = scriptNameOf(sha256, companyId, departmentId);
        const place = { provider: 'workerd', scope: 'onprem:000000000001', adopt: choice % 2 === 0 };
        return { type: 'RequestDomainAttachment', data: { hostname, ...owner, workerId, scriptName, ...place } };
      }
      case 'attachDomain':
        return { type: 'ConfirmDomainAttachment', data: { claim, facts } };
      case 'refuseDomain':
        return { type: 'RefuseDomainAttachment', data: { claim, code: 'domain_conflict', reason: text, owner: text } };
      case 'verifyDomain': {
        const verified = choice % 3 !== 0;
        const verificationId = `look-${index}`;
        return { type: 'RecordDomainVerification', data: { claim, verificationId, verified, detail: text, facts } };
      }
      case 'detachDomain':
        return { type: 'RequestDomainDetachment', data: { ...owner, reason: 'requested' } };
      case 'confirmDetached':
        return { type: 'ConfirmDomainDetachment', data: { claim, facts } };
      case 'certifyDomain': {
        const sealed = { keyId: `key-${index}`, encryptedData: { iv: 'i', tag: 't', data: `${index}` } };
        const shown = { names: [hostname, text], issuer: text, fingerprint: sha256(hostname) };
        const until = { notBefore: now - 1_000, notAfter: now + choice * 1_000_000, digest: `digest-${choice}` };
        return { type: 'PutDomainCertificate', data: { ...owner, ...sealed, ...shown, ...until } };
      }
      case 'uncertifyDomain':
        return { type: 'RemoveDomainCertificate', data: owner };
    }
  };
  await aggregates.edgeDomain.send(domainId, command(), envelope);
};
