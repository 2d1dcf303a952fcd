import type { Decider } from '../kernel.ts';
import { decide, type EdgeDomainCommand, type EdgeDomainRejection } from './decide.ts';
import type { EdgeDomainEvent } from './events.ts';
import { type EdgeDomain, evolve, initial } from './state.ts';

export const edgeDomain: Decider<EdgeDomainCommand, EdgeDomainEvent, EdgeDomain, EdgeDomainRejection> = {
  category: 'edgeDomain',
  events: {
    DomainAttachmentRequested: true,
    DomainAttached: true,
    DomainAttachmentRefused: true,
    DomainAttachmentAbandoned: true,
    DomainVerified: true,
    DomainVerificationFailed: true,
    DomainDetachmentRequested: true,
    DomainDetached: true,
    DomainCertificateStored: true,
    DomainCertificateRemoved: true,
  },
  initial,
  decide,
  evolve,
};
export type { EdgeDomainCommand, EdgeDomainRejection } from './decide.ts';
export type { CertificateFacts, DomainFacts, EdgeDomainEvent, SealedCertificate } from './events.ts';
export { checkHostname, hostnameProblem } from './hostname.ts';
export { type EdgeDomain, isHeld, type KnownDomain } from './state.ts';
