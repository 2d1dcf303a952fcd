import type { Decider } from '../kernel.ts';
import { type CredentialCommand, type CredentialRejection, decide, nextTenure } from './decide.ts';
import { type CredentialDetails, type CredentialKind, credentialKinds } from './details.ts';
import type { CredentialEvent, CredentialValue, DeletionReason } from './events.ts';
import { type Credential, evolve, initial, type KnownCredential } from './state.ts';

export const credential: Decider<CredentialCommand, CredentialEvent, Credential, CredentialRejection> = {
  category: 'credential',
  events: {
    CredentialCreated: true,
    CredentialReplaced: true,
    CredentialRenamed: true,
    CredentialDescribed: true,
    CredentialDeleted: true,
    CredentialShredded: true,
    CredentialClaimForfeited: true,
  },
  initial,
  decide,
  evolve,
};
export type {
  Credential,
  CredentialCommand,
  CredentialDetails,
  CredentialEvent,
  CredentialKind,
  CredentialRejection,
  CredentialValue,
  DeletionReason,
  KnownCredential,
};
export { credentialKinds, nextTenure };
