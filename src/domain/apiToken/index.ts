import type { Decider } from '../kernel.ts';
import { type ApiTokenCommand, type ApiTokenRejection, decide } from './decide.ts';
import type { ApiTokenEvent } from './events.ts';
import { type ApiToken, evolve, initial } from './state.ts';

export const apiToken: Decider<ApiTokenCommand, ApiTokenEvent, ApiToken, ApiTokenRejection> = {
  category: 'apiToken',
  events: { ApiTokenIssued: true, ApiTokenUsed: true, ApiTokenRevoked: true },
  initial,
  decide,
  evolve,
};
export type { ApiToken, ApiTokenCommand, ApiTokenEvent, ApiTokenRejection };
