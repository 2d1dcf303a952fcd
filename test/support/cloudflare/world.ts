import { createIds } from './ids.ts';
import { type Behaviour, type CloudflareOptions, paidLimits, type Token } from './options.ts';
import type { Account, CloudflareState, Zone } from './state.ts';

export const defaultAccountId = 'a'.repeat(32);

export const defaultToken: Token = { value: 'cloudflare-test-token', email: 'robot@opslog.test' };

const createAccount = (id: string, name: string, workersDevSubdomain: string): Account => ({
  id,
  name,
  workersDevSubdomain,
  scripts: new Map(),
  domains: new Map(),
});

/** The accounts and zones at the start, and how the server is to behave. */
export const createWorld = (options: CloudflareOptions) => {
  const now = options.now ?? Date.now;
  const ids = options.ids ?? createIds();
  const accountOptions = options.accounts ?? [{ id: defaultAccountId }];
  const accounts = new Map(
    accountOptions.map(({ id, name, workersDevSubdomain }, index) => [
      id,
      createAccount(id, name ?? `Account ${index + 1}`, workersDevSubdomain ?? `company${index + 1}`),
    ]),
  );
  const firstAccount = accountOptions[0]?.id;
  if (firstAccount === undefined) throw new Error('Cloudflare without an account is of no use');

  const addZone = (zone: NonNullable<CloudflareOptions['zones']>[number]): Zone => {
    const added: Zone = {
      id: zone.id ?? ids.hex(),
      name: zone.name,
      accountId: zone.accountId ?? firstAccount,
      status: zone.status ?? 'active',
      createdOn: new Date(now()).toISOString(),
      records: new Map(),
      routes: new Map(),
    };
    state.zones.set(added.id, added);
    return added;
  };

  const state: CloudflareState = { accounts, zones: new Map(), certificates: new Map(), tails: new Map() };
  for (const zone of options.zones ?? []) addZone(zone);

  const behaviour: Behaviour = {
    limits: { ...paidLimits, ...options.limits },
    lag: { reads: 0, ms: 0, deployments: true, ...options.lag },
    rateLimit: { requests: 1200, windowMs: 300_000, ...options.rateLimit },
    identicalRecordCode: options.identicalRecordCode ?? 81058,
  };
  return { now, ids, state, behaviour, firstAccount, tokens: options.tokens ?? [defaultToken], addZone };
};
