import { isIPv4, isIPv6 } from 'node:net';
import { z } from 'zod';
import { type Refused, refuse } from './answer.ts';
import type { Behaviour } from './options.ts';
import type { DnsRecord, Zone } from './state.ts';

const types = [
  'A',
  'AAAA',
  'CAA',
  'CERT',
  'CNAME',
  'DNSKEY',
  'DS',
  'HTTPS',
  'LOC',
  'MX',
  'NAPTR',
  'NS',
  'OPENPGPKEY',
  'PTR',
  'SMIMEA',
  'SRV',
  'SSHFP',
  'SVCB',
  'TLSA',
  'TXT',
  'URI',
] as const;

export const recordSchema = z.object({
  type: z.enum(types),
  name: z.string().min(1),
  content: z.string().min(1),
  ttl: z.number().int().optional(),
  proxied: z.boolean().optional(),
  priority: z.number().int().min(0).max(65_535).optional(),
  comment: z.string().nullish(),
  tags: z.array(z.string()).optional(),
});

export const recordPatchSchema = recordSchema.partial();

export type RecordWanted = z.infer<typeof recordSchema>;

export type RecordFields = Omit<DnsRecord, 'id' | 'createdOn' | 'modifiedOn' | 'originWorkerId'>;

/** `@` is the zone itself, and a name outside the zone is taken as one inside it. */
export const fullName = (name: string, zoneName: string): string => {
  const lower = name.toLowerCase().replace(/\.$/, '');
  if (lower === '@' || lower === zoneName) return zoneName;
  return lower.endsWith(`.${zoneName}`) ? lower : `${lower}.${zoneName}`;
};

const namePattern = /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

const proxiable: ReadonlySet<string> = new Set(['A', 'AAAA', 'CNAME']);

export const isProxiable = (type: string): boolean => proxiable.has(type);

const checkContent = ({ type, content, priority }: RecordWanted): Refused | undefined => {
  switch (type) {
    case 'A':
      return isIPv4(content) ? undefined : refuse(9005);
    case 'AAAA':
      return isIPv6(content) ? undefined : refuse(9006);
    case 'CNAME':
      return namePattern.test(content.toLowerCase().replace(/\.$/, '')) ? undefined : refuse(9007);
    case 'MX':
      return priority === undefined ? refuse(1004, 'an MX record has a priority') : undefined;
    default:
      return undefined;
  }
};

/** The record as it would be stored, or why its own fields forbid it. */
export const readRecord = (wanted: RecordWanted, zone: Zone, behaviour: Behaviour): RecordFields | Refused => {
  const name = fullName(wanted.name, zone.name);
  if (name.length > 253 || !namePattern.test(name)) return refuse(1003);
  const refused = checkContent(wanted);
  if (refused !== undefined) return refused;
  const ttl = wanted.ttl ?? 1;
  if (ttl !== 1 && (ttl < 60 || ttl > 86_400)) return refuse(1004, 'a ttl is 1 (automatic) or 60 to 86400 seconds');
  const proxied = wanted.proxied ?? false;
  if (proxied && !isProxiable(wanted.type)) return refuse(9041);
  const { recordCommentLength } = behaviour.limits;
  if ((wanted.comment ?? '').length > recordCommentLength)
    return refuse(1004, `a comment has at most ${recordCommentLength} characters`);
  return {
    type: wanted.type,
    name,
    content: wanted.type === 'TXT' ? wanted.content : wanted.content.toLowerCase(),
    // The edge chooses for a proxied record.
    ttl: proxied ? 1 : ttl,
    proxied,
    priority: wanted.priority,
    comment: wanted.comment ?? undefined,
    tags: wanted.tags ?? [],
  };
};

/** Whether the record can stand beside the others of its zone; `id` is the record that it replaces. */
export const checkConflicts = (
  fields: RecordFields,
  records: Iterable<DnsRecord>,
  id: string | undefined,
  behaviour: Behaviour,
): Refused | undefined => {
  const beside = [...records].filter((record) => record.name === fields.name && record.id !== id);
  const same = beside.some(({ type, content }) => type === fields.type && content === fields.content);
  if (same) return refuse(behaviour.identicalRecordCode);
  if (fields.type === 'CNAME' && beside.some(({ type }) => isProxiable(type))) return refuse(81053);
  const address = fields.type === 'A' || fields.type === 'AAAA';
  return address && beside.some(({ type }) => type === 'CNAME') ? refuse(81054) : undefined;
};
