import { clip } from '../../../domain/kernel.ts';
import type { DomainSpec, Facts, StepOutcome } from '../port.ts';
import type { CloudflareContext } from './context.ts';
import { isOurName } from './names.ts';
import { done, refused, settle } from './outcome.ts';
import type { Domain, Zone } from './schemas.ts';
import { findZone } from './zone.ts';

const asked = 'GET domains';

type Seen =
  | { readonly ok: true; readonly domain: Domain | undefined }
  | { readonly ok: false; readonly outcome: StepOutcome };

const hostOf = ({ hostname }: DomainSpec): string => hostname.toLowerCase();

const look = async ({ api }: CloudflareContext, hostname: string, signal: AbortSignal): Promise<Seen> => {
  const listed = await api.listDomains(signal, { hostname });
  if (listed.verdict !== 'done') return { ok: false, outcome: settle(listed, asked) };
  return { ok: true, domain: listed.result.find((each) => each.hostname === hostname) };
};

/** What a domain is made of, for whoever cleans up: the certificate outlives the domain. */
const factsOf = ({ id, zone_id, zone_name, cert_id }: Domain): Facts => ({
  cloudflareDomainId: id,
  zoneId: zone_id ?? '',
  zone: zone_name ?? '',
  certificateId: cert_id ?? '',
});

const isOther = (owner: string): StepOutcome =>
  refused('domain_conflict', `The host name belongs to ${owner}. Detach it there, or attach it with adopt.`, {
    asked,
    owner,
    found: owner,
  });

/** Not even with adopt: another department's domain goes when that department lets it go. */
const isColleague = (owner: string): StepOutcome =>
  refused('domain_conflict', `The host name belongs to another worker of this platform, ${owner}. Detach it there.`, {
    asked,
    owner,
    found: owner,
  });

export const attachDomain = async (
  context: CloudflareContext,
  domain: DomainSpec,
  signal: AbortSignal,
): Promise<StepOutcome> => {
  const hostname = hostOf(domain);
  const seen = await look(context, hostname, signal);
  if (!seen.ok) return seen.outcome;
  const existing = seen.domain;
  if (existing?.service === domain.scriptName) {
    return done('attached already', { asked, found: `worker ${existing.service}`, ...factsOf(existing) });
  }
  if (existing && isOurName(existing.service)) return isColleague(`worker ${existing.service}`);
  if (existing && !domain.adopt) return isOther(`worker ${existing.service}`);
  const zone = await findZone(context, signal, hostname);
  if (!('seen' in zone)) return settle(zone, 'GET zones');
  if (zone.seen === 'no') {
    const detail = `The account has no zone that ${hostname} lies in. Add the zone to Cloudflare first.`;
    return refused('zone_missing', detail, { asked: 'GET zones', found: 'no zone' });
  }
  return put(context, domain, zone.value, signal);
};

const put = async (
  context: CloudflareContext,
  domain: DomainSpec,
  zone: Zone,
  signal: AbortSignal,
): Promise<StepOutcome> => {
  const hostname = hostOf(domain);
  const override = { override_existing_dns_record: true, override_existing_origin: true };
  const wanted = { hostname, service: domain.scriptName, zone_id: zone.id, ...(domain.adopt && override) };
  const made = await context.api.attachDomain(signal, wanted);
  const asking = 'PUT domains';
  switch (made.verdict) {
    case 'done':
      return done('attached', { asked: asking, answered: 'attached', ...factsOf(made.result) });
    case 'absent': {
      const detail = `There is no script ${domain.scriptName} at Cloudflare. Deploy the worker first.`;
      return refused('worker_not_deployed', detail, { asked: asking, answered: made.detail });
    }
    case 'conflict': {
      if (made.code !== 'domain_conflict') return settle(made, asking);
      const owner = await ownerOf(context, hostname, zone, signal);
      return refused(made.code, `${made.detail} It belongs to ${owner}; attach it with adopt to take it over.`, {
        ...{ asked: asking, answered: made.detail, owner, found: owner },
      });
    }
    case 'refused':
    case 'exists':
    case 'lagging':
    case 'retry':
    case 'uncertain':
      return settle(made, asking);
    default:
      return made satisfies never;
  }
};

const longestOwner = 300;

/** What stands in the way, as far as it can be seen. */
const ownerOf = async (
  context: CloudflareContext,
  hostname: string,
  zone: Zone,
  signal: AbortSignal,
): Promise<string> => {
  const seen = await look(context, hostname, signal);
  if (seen.ok && seen.domain) return `worker ${seen.domain.service}`;
  const records = await context.api.recordsAt(signal, zone.id, hostname);
  const found = records.verdict === 'done' ? records.result.filter(({ name }) => name === hostname) : [];
  if (found.length === 0) return 'something that is not shown';
  return clip(`record ${found.map(({ type, content }) => `${type} ${content ?? ''}`).join(', ')}`, longestOwner);
};

export const verifyDomain = async (
  context: CloudflareContext,
  domain: DomainSpec,
  signal: AbortSignal,
): Promise<StepOutcome> => {
  const seen = await look(context, hostOf(domain), signal);
  if (!seen.ok) return seen.outcome;
  const { domain: found } = seen;
  if (!found) return { outcome: 'retry', detail: 'the host name is not attached', facts: { asked, found: 'nothing' } };
  if (found.service !== domain.scriptName) return isOther(`worker ${found.service}`);
  // The contract tells the certificate's id and not its state: without one there is none yet.
  if (!found.cert_id)
    return { outcome: 'retry', detail: 'it has no certificate yet', facts: { asked, ...factsOf(found) } };
  return done('Cloudflare lists the name for this worker, with a certificate.', {
    asked,
    found: `worker ${found.service}`,
    ...factsOf(found),
  });
};

/** Only what points to this script goes, with the record that Cloudflare made for it. */
export const detachDomain = async (
  context: CloudflareContext,
  domain: Pick<DomainSpec, 'hostname' | 'scriptName'>,
  signal: AbortSignal,
): Promise<StepOutcome> => {
  const seen = await look(context, domain.hostname.toLowerCase(), signal);
  if (!seen.ok) return seen.outcome;
  const { domain: found } = seen;
  if (!found) return done('not attached', { asked, found: 'nothing' });
  if (found.service !== domain.scriptName) {
    const owner = `worker ${found.service}`;
    return done(`it belongs to ${owner} and was left alone`, { asked, found: owner, owner });
  }
  return drop(context, found, signal);
};

export const drop = async (context: CloudflareContext, found: Domain, signal: AbortSignal): Promise<StepOutcome> => {
  const dropped = await context.api.deleteDomain(signal, found.id);
  if (dropped.verdict !== 'done' && dropped.verdict !== 'absent') return settle(dropped, 'DELETE domain');
  const facts = {
    asked: 'DELETE domain',
    answered: dropped.verdict === 'done' ? 'deleted' : 'not there',
    ...factsOf(found),
  };
  const kept = found.cert_id ? `; its certificate ${found.cert_id} stays at Cloudflare until it expires` : '';
  return done(`detached${kept}`, facts);
};
