import { z } from 'zod';
import { type Answer, isRefused, ok, type Refused, refuse } from './answer.ts';
import { type ApiRequest, accountOf, type Context, isoNow, param } from './context.ts';
import { readJson } from './json.ts';
import type { Account, CustomDomain, DnsRecord, Zone } from './state.ts';

const domainSchema = z.object({
  hostname: z.string().optional(),
  service: z.string().optional(),
  zone_id: z.string().optional(),
  zone_name: z.string().optional(),
  environment: z.string().optional(),
  override_existing_dns_record: z.boolean().optional(),
  override_existing_origin: z.boolean().optional(),
});

type Wanted = z.infer<typeof domainSchema>;

const hostPattern = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export const belongsTo = (hostname: string, zoneName: string): boolean =>
  hostname === zoneName || hostname.endsWith(`.${zoneName}`);

/** The named zone, or else the zone with the longest name that the host lies in. */
const zoneFor = (context: Context, account: Account, hostname: string, wanted: Wanted): Zone | undefined =>
  [...context.state.zones.values()]
    .filter(({ accountId, name }) => accountId === account.id && belongsTo(hostname, name))
    .filter(({ id }) => wanted.zone_id === undefined || id === wanted.zone_id)
    .filter(({ name }) => wanted.zone_name === undefined || name === wanted.zone_name)
    .sort((a, b) => b.name.length - a.name.length)[0];

const show = (context: Context, domain: CustomDomain) => ({
  id: domain.id,
  hostname: domain.hostname,
  service: domain.service,
  environment: 'production',
  zone_id: domain.zoneId,
  zone_name: context.state.zones.get(domain.zoneId)?.name ?? '',
  cert_id: domain.certId,
});

const certificateFor = (context: Context, hostname: string, zoneId: string): string => {
  const existing = [...context.state.certificates.values()].find((certificate) => certificate.hostname === hostname);
  if (existing !== undefined) return existing.id;
  const id = context.ids.hex();
  context.state.certificates.set(id, { id, hostname, zoneId });
  return id;
};

const addOwnedRecord = (context: Context, zone: Zone, hostname: string, workerTag: string): DnsRecord => {
  const now = isoNow(context);
  const record: DnsRecord = {
    id: context.ids.hex(),
    type: 'AAAA',
    name: hostname,
    content: '100::',
    ttl: 1,
    proxied: true,
    priority: undefined,
    comment: undefined,
    tags: [],
    createdOn: now,
    modifiedOn: now,
    originWorkerId: workerTag,
  };
  zone.records.set(record.id, record);
  return record;
};

const conflicting = (zone: Zone, hostname: string): readonly DnsRecord[] =>
  [...zone.records.values()].filter(
    ({ name, type, originWorkerId }) =>
      name === hostname && ['A', 'AAAA', 'CNAME'].includes(type) && originWorkerId === undefined,
  );

const attach = (context: Context, account: Account, zone: Zone, hostname: string, wanted: Wanted): Answer => {
  const script = account.scripts.get(wanted.service ?? '');
  if (script === undefined) return refuse(10007);
  const existing = [...account.domains.values()].find((domain) => domain.hostname === hostname);
  if (existing !== undefined) {
    if (existing.service !== script.name && wanted.override_existing_origin !== true) return refuse(100116);
    const moved = { ...existing, service: script.name };
    account.domains.set(existing.id, moved);
    return ok(show(context, moved));
  }
  const inZone = [...account.domains.values()].filter(({ zoneId }) => zoneId === zone.id).length;
  if (inZone >= context.behaviour.limits.domainsPerZone) return refuse(100122);
  const records = conflicting(zone, hostname);
  if (records.length > 0 && wanted.override_existing_dns_record !== true)
    return refuse(100117, `${hostname} already has ${records.map(({ type }) => type).join(', ')}`);
  for (const { id } of records) zone.records.delete(id);
  const domain: CustomDomain = {
    id: context.ids.hex(),
    hostname,
    service: script.name,
    zoneId: zone.id,
    certId: certificateFor(context, hostname, zone.id),
    recordId: addOwnedRecord(context, zone, hostname, script.tag).id,
  };
  account.domains.set(domain.id, domain);
  return ok(show(context, domain));
};

const readWanted = (request: ApiRequest): { readonly wanted: Wanted; readonly hostname: string } | Refused => {
  const body = readJson(request, domainSchema);
  if (isRefused(body)) return body;
  const { hostname } = body.value;
  if (hostname === undefined || hostname === '') return refuse(100111);
  const lower = hostname.toLowerCase();
  return hostPattern.test(lower) ? { wanted: body.value, hostname: lower } : refuse(100113);
};

/** Attaches a host name or, when this Worker has it already, answers as before. */
export const putDomain = (context: Context, request: ApiRequest): Answer => {
  const read = readWanted(request);
  if (isRefused(read)) return read;
  const account = accountOf(context, request);
  const zone = zoneFor(context, account, read.hostname, read.wanted);
  return zone === undefined ? refuse(100112) : attach(context, account, zone, read.hostname, read.wanted);
};

export const listDomains = (context: Context, request: ApiRequest): Answer => {
  const { query } = request;
  const all = [...accountOf(context, request).domains.values()].map((domain) => show(context, domain));
  const keys = ['hostname', 'service', 'zone_id', 'zone_name', 'environment'] as const;
  return ok(all.filter((domain) => keys.every((key) => query.get(key) === null || query.get(key) === domain[key])));
};

export const getDomain = (context: Context, request: ApiRequest): Answer => {
  const domain = accountOf(context, request).domains.get(param(request, 'domain'));
  return domain === undefined ? refuse(100114) : ok(show(context, domain));
};

/** The record goes with the domain, the certificate does not. */
const detach = (context: Context, account: Account, domain: CustomDomain): void => {
  account.domains.delete(domain.id);
  context.state.zones.get(domain.zoneId)?.records.delete(domain.recordId);
};

export const deleteDomain = (context: Context, request: ApiRequest): Answer => {
  const account = accountOf(context, request);
  const domain = account.domains.get(param(request, 'domain'));
  if (domain === undefined) return refuse(100114);
  detach(context, account, domain);
  return ok(null);
};

export const dropDomainsOf = (context: Context, account: Account, service: string): void => {
  for (const domain of [...account.domains.values()]) if (domain.service === service) detach(context, account, domain);
};
