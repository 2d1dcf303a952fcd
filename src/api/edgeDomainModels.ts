import { z } from 'zod';
import { toUnicode } from '../commands/edgeDomain.ts';
import { idField } from '../commands/fields.ts';
import type { DomainAnswer } from '../projections/edgeDomain/domainList.ts';
import type { ApiDeps } from './deps.ts';
import { isoTime, worker } from './models.ts';

const time = z.iso.datetime().meta({ description: 'RFC 3339, UTC.' });
const optionalTime = time.nullable();

const facts = z
  .record(z.string(), z.string())
  .meta({ description: 'What was asked, answered and found outside, and ids of what was made there.' });
const hostname = z.string().meta({ description: 'ASCII form, lower case.' });
const unicodeHostname = z.string().meta({ description: 'As people write it.' });

const certificateFields = {
  names: z.array(z.string()).meta({ description: 'DNS names that it covers.' }),
  issuer: z.string(),
  notAfter: time,
  fingerprint: z.string().meta({ description: 'SHA-256, hex pairs with colons.' }),
};
export const storedCertificate = z
  .strictObject({ ...certificateFields, notBefore: time })
  .meta({ id: 'StoredCertificate' });

export const domain = z
  .strictObject({
    hostname,
    unicodeHostname,
    provider: z.string(),
    status: z.enum(['attaching', 'attached', 'refused', 'detaching']),
    url: z.string().nullable().meta({ description: 'Where the worker answers under this name; null until attached.' }),
    adopt: z.boolean(),
    refusal: z
      .strictObject({
        code: z.string(),
        reason: z.string(),
        owner: z.string().nullable().meta({ description: 'Who has the name outside, as the provider names them.' }),
      })
      .nullable()
      .meta({ description: 'Why it was not attached; the name is free again.' }),
    verification: z
      .strictObject({ verified: z.boolean(), detail: z.string(), facts, at: time })
      .nullable()
      .meta({ description: 'The last look at whether the name leads to the worker; `detail` says who was asked.' }),
    certificate: z
      .strictObject({
        ...certificateFields,
        state: z
          .enum(['valid', 'ending', 'expired'])
          .meta({ description: 'Ending: within 30 days. An expired one is served until it is replaced.' }),
        storedAt: time,
      })
      .nullable()
      .meta({ description: 'Given for a name on-prem; elsewhere the provider makes its own.' }),
    facts,
    attachedAt: optionalTime,
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'Domain' });

export const domainTicket = z
  .strictObject({
    ...{ hostname, unicodeHostname, status: z.enum(['attaching', 'attached', 'refused', 'detaching', 'detached']) },
    jobId: idField.meta({ description: 'The job that does it.' }),
    statusUrl: z.string().meta({ description: 'Poll this path for the state of the domain.' }),
  })
  .meta({ id: 'DomainTicket' });

export const workerWithDomains = worker
  .extend({
    domainUrls: z.array(z.string()).nullable().meta({
      description:
        'Where it answers under attached host names, the first 100; null for a past time, or when not known.',
    }),
  })
  .meta({ id: 'WorkerWithDomains' });

const warnMs = 30 * 86_400_000;

const stateAt = (notAfter: number, now: number): 'valid' | 'ending' | 'expired' => {
  if (notAfter <= now) return 'expired';
  return notAfter - now <= warnMs ? 'ending' : 'valid';
};

/** On-prem over HTTPS where there is a certificate and somebody serves it. */
export const urlOf = ({ edge }: ApiDeps, { hostname: name, provider, certificate }: DomainAnswer): string => {
  if (provider !== 'workerd') return `https://${name}`;
  const tlsPort = certificate ? edge.tlsPort?.() : undefined;
  if (tlsPort !== undefined) return tlsPort === 443 ? `https://${name}` : `https://${name}:${tlsPort}`;
  const { port } = new URL(edge.url('worker'));
  return port === '' ? `http://${name}` : `http://${name}:${port}`;
};

export const showDomain = (deps: ApiDeps, row: DomainAnswer): z.input<typeof domain> => ({
  ...{ hostname: row.hostname, unicodeHostname: toUnicode(row.hostname), provider: row.provider, status: row.status },
  ...{ url: row.status === 'attached' ? urlOf(deps, row) : null, adopt: row.adopt, refusal: row.refusal },
  verification: row.verification && { ...row.verification, at: isoTime(row.verification.at) },
  certificate: row.certificate && {
    ...{ names: [...row.certificate.names], issuer: row.certificate.issuer, fingerprint: row.certificate.fingerprint },
    ...{ notAfter: isoTime(row.certificate.notAfter), storedAt: isoTime(row.certificate.storedAt) },
    state: stateAt(row.certificate.notAfter, deps.clock.now()),
  },
  facts: row.facts,
  attachedAt: row.attachedAt === null ? null : isoTime(row.attachedAt),
  ...{ createdAt: isoTime(row.createdAt), updatedAt: isoTime(row.updatedAt) },
});
