import { type Answer, isRefused, ok, refuse } from './answer.ts';
import { type ApiRequest, type Context, param } from './context.ts';
import { paginate } from './paging.ts';
import type { Zone } from './state.ts';

/** The router has checked that the zone exists and that the token may touch it. */
export const zoneOf = (context: Context, request: ApiRequest): Zone => {
  const zone = context.state.zones.get(param(request, 'zone'));
  if (zone === undefined) throw new Error('The router let an unknown zone through');
  return zone;
};

const operators = {
  equal: (value: string, wanted: string) => value === wanted,
  not_equal: (value: string, wanted: string) => value !== wanted,
  starts_with: (value: string, wanted: string) => value.startsWith(wanted),
  ends_with: (value: string, wanted: string) => value.endsWith(wanted),
  contains: (value: string, wanted: string) => value.includes(wanted),
  starts_with_case_sensitive: (value: string, wanted: string) => value.startsWith(wanted),
  ends_with_case_sensitive: (value: string, wanted: string) => value.endsWith(wanted),
  contains_case_sensitive: (value: string, wanted: string) => value.includes(wanted),
};

/** `contains:example`; without an operator the value must be equal. */
const matcher = (text: string | null): ((value: string) => boolean) => {
  if (text === null) return () => true;
  for (const [name, holds] of Object.entries(operators)) {
    const prefix = `${name}:`;
    if (text.startsWith(prefix)) return (value) => holds(value, text.slice(prefix.length));
  }
  return (value) => value === text;
};

const show = (context: Context, zone: Zone) => ({
  id: zone.id,
  name: zone.name,
  status: zone.status,
  paused: false,
  type: 'full',
  development_mode: 0,
  created_on: zone.createdOn,
  modified_on: zone.createdOn,
  activated_on: zone.status === 'active' ? zone.createdOn : null,
  name_servers: ['ada.ns.cloudflare.test', 'bob.ns.cloudflare.test'],
  account: { id: zone.accountId, name: context.state.accounts.get(zone.accountId)?.name ?? '' },
});

export const listZones = (context: Context, request: ApiRequest): Answer => {
  const { query, token } = request;
  const name = matcher(query.get('name'));
  const accountName = matcher(query.get('account.name'));
  const found = [...context.state.zones.values()]
    .filter((zone) => token.accountIds === undefined || token.accountIds.includes(zone.accountId))
    .filter((zone) => name(zone.name))
    .filter((zone) => accountName(context.state.accounts.get(zone.accountId)?.name ?? ''))
    .filter((zone) => (query.get('account.id') ?? zone.accountId) === zone.accountId)
    .filter((zone) => (query.get('status') ?? zone.status) === zone.status)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const page = paginate(query.get('direction') === 'desc' ? found.reverse() : found, query, { fallback: 20, most: 50 });
  return isRefused(page)
    ? page
    : ok(
        page.items.map((zone) => show(context, zone)),
        page.info,
      );
};

export const getZone = (context: Context, request: ApiRequest): Answer => {
  const zone = context.state.zones.get(param(request, 'zone'));
  return zone === undefined ? refuse(9109) : ok(show(context, zone));
};
