import type { DomainFacts, EdgeDomainEvent, SealedCertificate } from './events.ts';

export type DomainStatus = 'attaching' | 'attached' | 'refused' | 'detaching' | 'detached';

export type KnownDomain = {
  readonly status: DomainStatus;
  readonly claim: number;
  readonly hostname: string;
  readonly companyId: string;
  readonly departmentId: string;
  readonly workerId: string;
  readonly scriptName: string;
  readonly provider: string;
  readonly scope: string;
  readonly adopt: boolean;
  /** An attachment is under way: nobody knows yet what is there outside. It may outlive the wish to detach. */
  readonly settling: boolean;
  /** What attaching left: ids of what was made outside. */
  readonly facts: DomainFacts;
  readonly refusal: { readonly code: string; readonly reason: string; readonly owner: string } | undefined;
  /** The verification that was recorded last, '' for none. */
  readonly verificationId: string;
  readonly certificate: SealedCertificate | undefined;
};

export type HeldDomain = KnownDomain & { readonly status: 'attaching' | 'attached' | 'detaching' };

export type EdgeDomain = { readonly status: 'absent' } | KnownDomain;

export const initial: EdgeDomain = { status: 'absent' };

/** The claim that holds the name now: nobody else may have it. */
export const isHeld = (state: EdgeDomain): state is HeldDomain =>
  state.status === 'attaching' || state.status === 'attached' || state.status === 'detaching';

export const evolve = (state: EdgeDomain, event: EdgeDomainEvent): EdgeDomain => {
  if (event.type === 'DomainAttachmentRequested') {
    return {
      ...event.data,
      ...{ status: 'attaching', settling: true, facts: {}, refusal: undefined, verificationId: '' },
      certificate: undefined,
    };
  }
  if (state.status === 'absent') return state;
  switch (event.type) {
    case 'DomainAttached':
      return { ...state, status: 'attached', settling: false, facts: event.data.facts };
    case 'DomainAttachmentRefused': {
      const { code, reason, owner } = event.data;
      return { ...state, status: 'refused', settling: false, refusal: { code, reason, owner } };
    }
    case 'DomainAttachmentAbandoned':
      return { ...state, settling: false, facts: event.data.facts };
    case 'DomainVerified':
    case 'DomainVerificationFailed':
      return { ...state, verificationId: event.data.verificationId };
    case 'DomainDetachmentRequested':
      return { ...state, status: 'detaching' };
    case 'DomainDetached':
      return { ...state, status: 'detached', settling: false };
    case 'DomainCertificateStored': {
      const { claim: _, replacedKeyId: __, ...certificate } = event.data;
      return { ...state, certificate };
    }
    case 'DomainCertificateRemoved':
      return { ...state, certificate: undefined };
    default:
      event satisfies never;
      return state;
  }
};
