import { type Decision, type Message, type Rejection, reject } from '../kernel.ts';
import type { DomainFacts, EdgeDomainEvent, SealedCertificate } from './events.ts';
import { type EdgeDomain, isHeld, type KnownDomain } from './state.ts';

type Owner = { readonly companyId: string; readonly departmentId: string };
type OfClaim = { readonly claim: number };
type RequestData = Extract<EdgeDomainEvent, { type: 'DomainAttachmentRequested' }>['data'];

export type EdgeDomainCommand =
  | Message<'RequestDomainAttachment', Omit<RequestData, 'claim'>>
  | Message<'ConfirmDomainAttachment', OfClaim & { facts: DomainFacts }>
  | Message<'RefuseDomainAttachment', OfClaim & { code: string; reason: string; owner: string }>
  /** Says that no attempt to attach is under way or will come, once a detachment was asked for. */
  | Message<'AbandonDomainAttachment', OfClaim>
  /** `verificationId` tells one look from another: the same look is recorded once. */
  | Message<
      'RecordDomainVerification',
      OfClaim & { verificationId: string; verified: boolean; detail: string; facts: DomainFacts }
    >
  | Message<'RequestDomainDetachment', Owner & { reason: string }>
  | Message<'ConfirmDomainDetachment', OfClaim & { facts: DomainFacts }>
  | Message<'PutDomainCertificate', SealedCertificate & Owner>
  | Message<'RemoveDomainCertificate', Owner>;

export type EdgeDomainRejection =
  | 'DomainNotFound'
  | 'DomainTaken'
  | 'DomainDetaching'
  | 'DomainNotAttached'
  | 'DomainCertificateManaged';

type Outcome = Decision<EdgeDomainEvent, EdgeDomainRejection>;

export const decide = (command: EdgeDomainCommand, state: EdgeDomain): Outcome => {
  switch (command.type) {
    case 'RequestDomainAttachment':
      return request(command.data, state);
    case 'RequestDomainDetachment':
    case 'PutDomainCertificate':
    case 'RemoveDomainCertificate':
      return state.status !== 'absent' && isOwner(state, command.data) ? ofOwner(command, state) : notFound();
    case 'ConfirmDomainAttachment':
    case 'RefuseDomainAttachment':
    case 'AbandonDomainAttachment':
    case 'RecordDomainVerification':
    case 'ConfirmDomainDetachment':
      // News of an earlier claim concerns nobody any more.
      return isHeld(state) && state.claim === command.data.claim ? ofRunner(command, state) : [];
  }
};

const isOwner = (state: KnownDomain, { companyId, departmentId }: Owner): boolean =>
  state.companyId === companyId && state.departmentId === departmentId;

const notFound = (): Rejection<'DomainNotFound'> =>
  reject('DomainNotFound', 'This department has no such host name. Attach it first.');

/** Whoever asks first has the name; the same worker asking again has it already. */
const request = (data: Omit<RequestData, 'claim'>, state: EdgeDomain): Outcome => {
  if (!isHeld(state)) {
    const claim = state.status === 'absent' ? 1 : state.claim + 1;
    return [{ type: 'DomainAttachmentRequested', data: { claim, ...data } }];
  }
  if (!isOwner(state, data)) return taken(data, state);
  return state.status === 'detaching' ? detaching() : [];
};

/** Who holds a name is told inside a workspace only. */
const taken = ({ companyId, hostname }: { companyId: string; hostname: string }, state: KnownDomain): Outcome => {
  const ours = state.companyId === companyId;
  const owner = ours ? 'another department of this workspace' : 'another workspace of this installation';
  return reject('DomainTaken', `${hostname} belongs to ${owner}. It must be detached there first.`, {
    field: 'hostname',
    ...(ours && { details: { departmentId: state.departmentId } }),
  });
};

const detaching = (): Rejection<'DomainDetaching'> =>
  reject('DomainDetaching', 'This host name is being detached. Wait until that is confirmed.');

type OwnersCommand = Extract<
  EdgeDomainCommand,
  { type: 'RequestDomainDetachment' | 'PutDomainCertificate' | 'RemoveDomainCertificate' }
>;

const ofOwner = (command: OwnersCommand, state: KnownDomain): Outcome => {
  switch (command.type) {
    case 'RequestDomainDetachment':
      return detach(command.data.reason, state);
    case 'PutDomainCertificate':
      return isHeld(state) ? putCertificate(command.data, state) : notFound();
    case 'RemoveDomainCertificate':
      return isHeld(state) ? removed(state) : notFound();
  }
};

const detach = (reason: string, { status, claim }: KnownDomain): Outcome => {
  switch (status) {
    case 'attaching':
    case 'attached':
      return [{ type: 'DomainDetachmentRequested', data: { claim, reason } }];
    case 'refused':
      // There is nothing outside; only the memory of it goes.
      return [{ type: 'DomainDetached', data: { claim, facts: {} } }];
    case 'detaching':
    case 'detached':
      return [];
  }
};

const putCertificate = (data: SealedCertificate & Owner, state: KnownDomain): Outcome => {
  const { claim, certificate } = state;
  if (state.status === 'detaching') return detaching();
  if (state.provider !== 'workerd') return managed(state.provider);
  const { companyId: _, departmentId: __, ...sealed } = data;
  if (certificate?.digest === sealed.digest) return [];
  const replacedKeyId = certificate?.keyId ?? '';
  return [{ type: 'DomainCertificateStored', data: { claim, ...sealed, replacedKeyId } }];
};

const managed = (provider: string): Rejection<'DomainCertificateManaged'> =>
  reject('DomainCertificateManaged', `${provider} makes the certificates of its domains itself: none can be given.`, {
    details: { provider },
  });

const removed = ({ claim, certificate }: KnownDomain): readonly EdgeDomainEvent[] => {
  if (!certificate) return [];
  const { keyId, fingerprint } = certificate;
  return [{ type: 'DomainCertificateRemoved', data: { claim, keyId, fingerprint } }];
};

type RunnersCommand = Exclude<EdgeDomainCommand, OwnersCommand | { type: 'RequestDomainAttachment' }>;

const ofRunner = (command: RunnersCommand, state: KnownDomain): Outcome => {
  switch (command.type) {
    case 'ConfirmDomainAttachment':
      return settled(state, command.data.facts, [{ type: 'DomainAttached', data: command.data }]);
    case 'RefuseDomainAttachment':
      return settled(state, {}, [...removed(state), { type: 'DomainAttachmentRefused', data: command.data }]);
    case 'AbandonDomainAttachment':
      return settled(state, {}, []);
    case 'RecordDomainVerification':
      return verification(command.data, state);
    case 'ConfirmDomainDetachment':
      // Before the attachment has settled, nobody can say that nothing is there.
      if (state.status !== 'detaching' || state.settling) return [];
      return [...removed(state), { type: 'DomainDetached', data: command.data }];
  }
};

/** Once a detachment was asked for, any end of the attachment only says that nothing more of it will come. */
const settled = (state: KnownDomain, facts: DomainFacts, wanted: readonly EdgeDomainEvent[]): Outcome => {
  if (!state.settling) return [];
  if (state.status !== 'detaching') return wanted;
  return [{ type: 'DomainAttachmentAbandoned', data: { claim: state.claim, facts } }];
};

const verification = (
  {
    claim,
    verificationId,
    verified,
    detail,
    facts,
  }: Extract<RunnersCommand, { type: 'RecordDomainVerification' }>['data'],
  state: KnownDomain,
): Outcome => {
  if (state.status !== 'attached' || state.verificationId === verificationId) return [];
  const seen = { claim, verificationId, facts };
  return verified
    ? [{ type: 'DomainVerified', data: { ...seen, detail } }]
    : [{ type: 'DomainVerificationFailed', data: { ...seen, reason: detail } }];
};
