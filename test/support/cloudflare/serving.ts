import { typeName } from './bindings.ts';
import type { Account, Binding, CloudflareState, Script, Version } from './state.ts';

/** Which Worker answers at a host name now. Nothing is executed. */
export type Served =
  | {
      readonly answered: true;
      readonly via: 'custom domain' | 'workers.dev' | 'route';
      readonly script: string;
      readonly scriptTag: string;
      readonly versionId: string;
      readonly versionNumber: number;
      /** `workers/tag` of the version. */
      readonly tag: string | undefined;
      /** `workers/message` of the deployment. */
      readonly message: string | undefined;
      readonly bindings: readonly Binding[];
    }
  | {
      readonly answered: false;
      readonly reason: 'no such host' | 'workers.dev disabled' | 'no worker' | 'no deployment';
    };

export type ServedRequest = {
  readonly path?: string;
  /** 0 up to 100: where the request falls in a split between two versions. */
  readonly roll?: number;
};

type Found = { readonly via: 'custom domain' | 'workers.dev' | 'route'; readonly script: Script | undefined };

const chosenVersion = (script: Script, roll: number): Version | undefined => {
  let below = 0;
  for (const { versionId, percentage } of script.deployments[0]?.versions ?? []) {
    below += percentage;
    if (roll < below) return script.versions.find(({ id }) => id === versionId);
  }
  return undefined;
};

const toPattern = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');

const matchesRoute = (pattern: string, hostname: string, path: string): boolean => {
  const bare = pattern.toLowerCase().replace(/^https?:\/\//, '');
  return new RegExp(`^${toPattern(bare.includes('/') ? bare : `${bare}/`)}$`).test(`${hostname}${path}`);
};

/** The longest pattern wins; one without a script lets the request through to the origin. */
const byRoute = (state: CloudflareState, hostname: string, path: string): Found | undefined => {
  const [best] = [...state.zones.values()]
    .flatMap((zone) => [...zone.routes.values()].map((route) => ({ zone, route })))
    .filter(({ route }) => matchesRoute(route.pattern, hostname, path))
    .sort((a, b) => b.route.pattern.length - a.route.pattern.length);
  if (best?.route.script === undefined) return undefined;
  return { via: 'route', script: state.accounts.get(best.zone.accountId)?.scripts.get(best.route.script) };
};

const byDomain = (accounts: readonly Account[], hostname: string): Found | undefined => {
  for (const account of accounts)
    for (const domain of account.domains.values())
      if (domain.hostname === hostname) return { via: 'custom domain', script: account.scripts.get(domain.service) };
  return undefined;
};

const byWorkersDev = (accounts: readonly Account[], hostname: string): Found | undefined => {
  const [name, subdomain] = hostname.endsWith('.workers.dev') ? hostname.split('.') : [];
  const account = accounts.find(({ workersDevSubdomain }) => workersDevSubdomain === subdomain);
  const script = account?.scripts.get(name ?? '');
  return script && { via: 'workers.dev', script };
};

export const serve = (state: CloudflareState, host: string, { path = '/', roll = 0 }: ServedRequest): Served => {
  const hostname = host.toLowerCase().replace(/:\d+$/, '');
  const accounts = [...state.accounts.values()];
  const found = byRoute(state, hostname, path) ?? byDomain(accounts, hostname) ?? byWorkersDev(accounts, hostname);
  if (found === undefined) return { answered: false, reason: 'no such host' };
  const { via, script } = found;
  if (script === undefined) return { answered: false, reason: 'no worker' };
  if (via === 'workers.dev' && !script.subdomain.enabled) return { answered: false, reason: 'workers.dev disabled' };
  const version = chosenVersion(script, roll);
  if (version === undefined) return { answered: false, reason: 'no deployment' };
  return {
    answered: true,
    via,
    script: script.name,
    scriptTag: script.tag,
    versionId: version.id,
    versionNumber: version.number,
    tag: version.annotations['workers/tag'],
    message: script.deployments[0]?.annotations['workers/message'],
    bindings: version.bindings,
  };
};

/** For an answer over HTTP: the same without the value of any secret. */
export const describeServed = (served: Served): Readonly<Record<string, unknown>> =>
  served.answered
    ? { ...served, bindings: served.bindings.map((binding) => ({ name: binding.name, type: typeName(binding) })) }
    : served;
