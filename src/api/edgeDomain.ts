import { z } from 'zod';
import {
  attachDomain,
  attachDomainSchema,
  type DomainTicket,
  detachDomain,
  domainIdOf,
  toUnicode,
  verifyDomain,
} from '../commands/edgeDomain.ts';
import {
  putCertificateSchema,
  putDomainCertificate,
  removeDomainCertificate,
} from '../commands/edgeDomainCertificate.ts';
import { departmentOperation } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { domain, domainTicket, showDomain, storedCertificate } from './edgeDomainModels.ts';
import { type DepartmentMembership, mayEnter } from './guard.ts';
import { jobProblems } from './job.ts';
import { isoTime, pageOf } from './models.ts';
import { answer, jsonBody, noBody, noInput, noQuery, type Operation } from './operation.ts';
import { pageReply, paging } from './paging.ts';
import { refuse } from './problem.ts';

const tag = 'Domains';
const domains = '/workspaces/{workspaceId}/departments/{departmentId}/worker/domains';
const oneDomain = `${domains}/{hostname}` as const;

const tenancy = ['WorkspaceNotFound', 'DepartmentNotFound'] as const;
const problems = [...tenancy, 'DomainNotFound', 'DomainTaken', 'DomainDetaching', 'DomainNotAttached'] as const;
const domainProblems = [...problems, 'DomainCertificateManaged'] as const;

const noDomain = refuse('DomainNotFound', 'This department has no such host name. Attach it first.');

/** The domain below which every worker has a host of its own. */
const baseOf = ({ edge }: ApiDeps): string => new URL(edge.url('worker')).hostname.replace(/^worker\./, '');

const ticketReply = (
  { workspaceId, departmentId }: DepartmentMembership,
  { hostname, status, jobId }: DomainTicket,
) => {
  const statusUrl = `/workspaces/${workspaceId}/departments/${departmentId}/worker/domains/${hostname}`;
  const body = { hostname, unicodeHostname: toUnicode(hostname), status, jobId, statusUrl };
  return { status: 202, body, headers: { Location: statusUrl } };
};

const attach = departmentOperation(
  {
    id: 'attachDomain',
    method: 'post',
    path: domains,
    tag,
    summary: 'Attach a host name to the worker',
    description:
      'Claims the name at once, for this department alone in the whole installation, and attaches it where the worker ' +
      'runs. Something that is there already and was not made here is a conflict, unless `adopt` says to take it over; ' +
      'then the attachment is refused, and the name is free again. Other names of the worker are left as they are.',
    role: 'MEMBER',
    query: noQuery,
    body: jsonBody(attachDomainSchema),
    success: { status: 202, description: 'Claimed; or attached before', schema: domainTicket },
    problems: [
      ...domainProblems,
      ...(['DomainNameInvalid', 'DomainNameReserved'] as const),
      ...(['EdgeWorkerNotFound', 'EdgeWorkerNotDeployed', 'EdgeWorkerRetired'] as const),
    ],
  },
  async ({ deps, who, body: { hostname, adopt = false }, envelope }) => {
    const request = envelope(who.caller, who);
    const wanted = { hostname, adopt, base: baseOf(deps) };
    const attached = await attachDomain(deps, who, wanted, request, (departmentId) => mayEnter(who, departmentId));
    return answer(attached, request, (ticket) => ticketReply(who, ticket));
  },
);

const list = departmentOperation(
  {
    id: 'listDomains',
    method: 'get',
    path: domains,
    tag,
    summary: 'Host names of the worker, by name',
    role: 'VIEWER',
    query: paging,
    body: noBody,
    success: { status: 200, description: 'A page of domains', schema: pageOf(domain, 'DomainPage') },
    problems: tenancy,
  },
  ({ deps, request, who: { workspaceId, departmentId }, query }) =>
    pageReply(
      request,
      query,
      (page) => deps.queries.domains({ ...page, companyId: workspaceId, departmentId }),
      (row) => showDomain(deps, row),
    ),
);

const get = departmentOperation(
  {
    id: 'getDomain',
    method: 'get',
    path: oneDomain,
    tag,
    summary: 'A host name, where it stands, and its certificate',
    role: 'VIEWER',
    ...noInput,
    success: { status: 200, description: 'The domain', schema: domain },
    problems: [...tenancy, 'DomainNotFound'],
  },
  async ({ deps, who: { workspaceId, departmentId }, params }) => {
    const domainId = domainIdOf(params.hostname, baseOf(deps));
    const found = domainId && (await deps.queries.domain({ companyId: workspaceId, departmentId, domainId }));
    return found ? { status: 200, body: showDomain(deps, found) } : noDomain;
  },
);

const verify = departmentOperation(
  {
    id: 'verifyDomain',
    method: 'post',
    path: `${oneDomain}/verify`,
    tag,
    summary: 'Look whether the host name leads to the worker',
    description:
      'What was asked and found is shown as `verification` of the domain. On-prem the router of the node is asked, and what DNS says is shown, not required; at Cloudflare, its list of domains. The way from elsewhere is not tried.',
    role: 'MEMBER',
    ...noInput,
    success: { status: 202, description: 'A job looks', schema: domainTicket },
    problems: [...domainProblems, ...jobProblems],
  },
  async ({ deps, who, params, envelope }) => {
    const domainId = domainIdOf(params.hostname, baseOf(deps));
    if (domainId === undefined) return noDomain;
    const request = envelope(who.caller, who);
    return answer(await verifyDomain(deps, who, domainId, request), request, (ticket) => ticketReply(who, ticket));
  },
);

const detach = departmentOperation(
  {
    id: 'detachDomain',
    method: 'delete',
    path: oneDomain,
    tag,
    summary: 'Detach a host name',
    description:
      'Removes what attaching made, and the certificate that was given. The name is free for others once the provider ' +
      'confirms. Of a name that was refused, only the memory goes.',
    role: 'MEMBER',
    ...noInput,
    success: { status: 202, description: 'On its way', schema: domainTicket },
    problems: domainProblems,
  },
  async ({ deps, who, params, envelope }) => {
    const domainId = domainIdOf(params.hostname, baseOf(deps));
    if (domainId === undefined) return noDomain;
    const request = envelope(who.caller, who);
    return answer(await detachDomain(deps, who, domainId, request), request, (ticket) => ticketReply(who, ticket));
  },
);

const putCertificate = departmentOperation(
  {
    id: 'putDomainCertificate',
    method: 'put',
    path: `${oneDomain}/certificate`,
    tag,
    summary: 'Give the certificate for a host name, or replace it',
    description:
      'For a worker that runs on-prem. Sealed at once; the certificate and its key are never shown again. It is served ' +
      'from the next connection on, without a restart. The same certificate again changes nothing.',
    role: 'MEMBER',
    query: noQuery,
    body: jsonBody(putCertificateSchema),
    success: { status: 200, description: 'Stored', schema: storedCertificate },
    problems: [...domainProblems, 'DomainCertificateInvalid'],
  },
  async ({ deps, who, params, body, envelope }) => {
    const domainId = domainIdOf(params.hostname, baseOf(deps));
    if (domainId === undefined) return noDomain;
    const request = envelope(who.caller, who);
    const stored = await putDomainCertificate(deps, who, domainId, body, request);
    return answer(stored, request, ({ names, issuer, notBefore, notAfter, fingerprint }) => ({
      status: 200,
      body: {
        ...{ names: [...names], issuer, fingerprint },
        ...{ notBefore: isoTime(notBefore), notAfter: isoTime(notAfter) },
      },
    }));
  },
);

const removeCertificate = departmentOperation(
  {
    id: 'removeDomainCertificate',
    method: 'delete',
    path: `${oneDomain}/certificate`,
    tag,
    summary: 'Remove the certificate of a host name',
    description: 'The name is no longer served over HTTPS, and what the log keeps of the key can no longer be opened.',
    role: 'MEMBER',
    ...noInput,
    success: { status: 204, description: 'Removed, or there was none', schema: z.null() },
    problems: domainProblems,
  },
  async ({ deps, who, params, envelope }) => {
    const domainId = domainIdOf(params.hostname, baseOf(deps));
    if (domainId === undefined) return noDomain;
    const request = envelope(who.caller, who);
    const removed = await removeDomainCertificate(deps, who, domainId, request);
    return answer(removed, request, () => ({ status: 204, body: null }));
  },
);

export const edgeDomainOperations: readonly Operation[] = [
  ...[attach, list, get, verify, detach, putCertificate, removeCertificate],
];
