import type { Decider } from '../kernel.ts';
import { decide, type EdgeSecretCommand, type EdgeSecretRejection } from './decide.ts';
import type { EdgeSecretEvent } from './events.ts';
import { type EdgeSecret, evolve, hasVersion, initial, newestVersion, type SecretVersion } from './state.ts';

export const edgeSecret: Decider<EdgeSecretCommand, EdgeSecretEvent, EdgeSecret, EdgeSecretRejection> = {
  category: 'edgeSecret',
  events: { EdgeSecretStored: true, EdgeSecretRemoved: true, EdgeSecretShredded: true },
  initial,
  decide,
  evolve,
};
export type { EdgeSecret, EdgeSecretCommand, EdgeSecretEvent, EdgeSecretRejection, SecretVersion };
export { hasVersion, newestVersion };
