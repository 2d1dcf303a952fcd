import { type Refused, refuse } from './answer.ts';
import type { Context } from './context.ts';
import type { Token } from './options.ts';

/** The token of an Authorization header: 9106 without one, 10000 for one that nobody has. */
export const authenticate = (header: string | undefined, tokens: readonly Token[]): Token | Refused => {
  if (header === undefined) return refuse(9106);
  const value = /^Bearer (\S+)$/.exec(header)?.[1];
  return tokens.find((token) => token.value === value) ?? refuse(10000);
};

const identifier = /^[0-9a-f]{32}$/;

/** Whether the token may do this to the account or the zone that the path names. */
export const authorize = (
  context: Context,
  method: string,
  params: Readonly<Record<string, string>>,
  token: Token,
): Refused | undefined => {
  const { account, zone } = params;
  const named = account ?? zone;
  if (named !== undefined && !identifier.test(named)) return refuse(7003);
  const owner = zone === undefined ? account : context.state.zones.get(zone)?.accountId;
  if (named !== undefined && (owner === undefined || !context.state.accounts.has(owner))) return refuse(9109);
  if (owner !== undefined && token.accountIds !== undefined && !token.accountIds.includes(owner)) return refuse(9109);
  return token.readOnly === true && method !== 'GET' ? { ...refuse(10000), status: 403 } : undefined;
};
