import type { Ids } from './ids.ts';
import type { Behaviour, Token } from './options.ts';
import type { Account, CloudflareState, Script, Version } from './state.ts';

/** What every handler may use. */
export type Context = {
  readonly state: CloudflareState;
  readonly behaviour: Behaviour;
  readonly ids: Ids;
  now(): number;
  /** `ws://host:port`, where tails are listened to. */
  socketUrl(): string;
  /** Told when a tail is deleted, so that its listeners are disconnected. */
  closeTail(id: string): void;
};

export type ApiRequest = {
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly token: Token;
};

export const isoNow = (context: Context): string => new Date(context.now()).toISOString();

export const param = (request: ApiRequest, name: string): string => {
  const value = request.params[name];
  if (value === undefined) throw new Error(`The route has no parameter ${name}`);
  return value;
};

/** The router has checked that the account exists. */
export const accountOf = (context: Context, request: ApiRequest): Account => {
  const account = context.state.accounts.get(param(request, 'account'));
  if (account === undefined) throw new Error('The router let an unknown account through');
  return account;
};

export const scriptOf = (context: Context, request: ApiRequest): Script | undefined =>
  accountOf(context, request).scripts.get(param(request, 'script'));

export const latestVersion = (script: Script): Version | undefined => script.versions.at(-1);

/** The version that serves the larger part of the traffic; the first when both serve half. */
export const servingVersion = (script: Script): Version | undefined => {
  const [first, ...others] = script.deployments[0]?.versions ?? [];
  if (first === undefined) return undefined;
  const main = others.reduce((best, other) => (other.percentage > best.percentage ? other : best), first);
  return script.versions.find(({ id }) => id === main.versionId);
};

/** Whether all traffic goes to the newest version. */
export const latestIsDeployed = (script: Script): boolean => {
  const [only, second] = script.deployments[0]?.versions ?? [];
  return second === undefined && only !== undefined && only.versionId === latestVersion(script)?.id;
};
