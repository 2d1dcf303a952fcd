import type { Decider, Message } from '../kernel.ts';
import type { CredentialUseEvent } from './events.ts';

export type CredentialUse = { readonly status: 'unused' | 'used' };
export type CredentialUseCommand = Message<'RecordCredentialUse', CredentialUseEvent['data']>;

export const credentialUse: Decider<CredentialUseCommand, CredentialUseEvent, CredentialUse, never> = {
  category: 'credentialUse',
  events: { CredentialUsed: true },
  initial: { status: 'unused' },
  decide: ({ data }, { status }) => (status === 'used' ? [] : [{ type: 'CredentialUsed', data }]),
  evolve: () => ({ status: 'used' }),
};
export type { CredentialUseEvent };
