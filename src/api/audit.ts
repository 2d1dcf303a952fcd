import { z } from 'zod';
import type { AuditAnswer } from '../projections/answers.ts';
import { csvLines, jsonLines, streamExport } from './auditExport.ts';
import { rateExceeded, workspaceOperation } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { type Membership, needAllDepartments, scopeOf } from './guard.ts';
import { auditEntry, auditStatus, isoTime, pageOf, riskLevel } from './models.ts';
import { noBody, noInput, type Operation } from './operation.ts';
import { pageReply, pagingFields } from './paging.ts';
import { atField } from './pointInTime.ts';

const tag = 'Audit';

const filter = z
  .string()
  .regex(/^[\w.:/+=@-]{1,200}$/, 'Letters, digits and . : / + = @ - _.')
  .optional();

const filters = {
  actorId: filter,
  action: filter.meta({ description: '`<category>.<Event>`, for example `edgeWorker.DeploymentAdmitted`.' }),
  resourceType: filter,
  resourceId: filter,
  requestId: filter.meta({ description: 'X-Request-Id of the request that led to it.' }),
  correlationId: filter.meta({ description: 'The same for everything that one request led to, here and outside.' }),
  status: auditStatus.optional(),
  riskLevel: riskLevel.optional(),
  from: atField.meta({ description: 'RFC 3339, inclusive.', format: 'date-time' }),
  to: atField.meta({ description: 'RFC 3339, exclusive.', format: 'date-time' }),
};

const list = workspaceOperation(
  {
    id: 'listAudit',
    method: 'get',
    ownTime: true,
    path: '/workspaces/{workspaceId}/audit',
    tag,
    summary: 'What happened in a workspace',
    description:
      'One entry per fact, newest first, chained by hashes; secrets are masked. What was asked of edge workers and refused is in it, too.',
    role: 'ADMIN',
    query: z.strictObject({ ...pagingFields, ...filters }),
    body: noBody,
    success: { status: 200, description: 'A page of the audit trail', schema: pageOf(auditEntry, 'AuditPage') },
    problems: ['WorkspaceNotFound'],
  },
  ({ deps, request, who, query }) => {
    const { limit: _, cursor: __, ...asked } = query;
    const args = { ...asked, workspaceId: who.workspaceId, ...scopeOf(who) };
    return pageReply(request, query, (page) => deps.queries.audit({ ...page, ...args }), showEntry);
  },
);

const showEntry = (row: AuditAnswer): z.input<typeof auditEntry> => ({
  ...{ id: row.id, sequence: row.seq, action: row.action },
  actor: { type: row.actorType, id: row.actorId, authMethod: row.authMethod },
  resource: { type: row.resourceType, id: row.resourceId },
  ...{ departmentId: row.departmentId, riskLevel: row.riskLevel, status: row.status },
  ...{ requestId: row.requestId, correlationId: row.correlationId, causationId: row.causationId, ip: row.ip },
  ...{ metadata: row.metadata, createdAt: isoTime(row.createdAt) },
  ...{ previousHash: row.previousHash, hash: row.hash },
});

export const sealedHead = z
  .strictObject({
    payloadType: z.string(),
    payload: z.string().meta({
      description:
        'Base64 of JSON: workspaceId, sequence and hash of the newest entry, its position in the log, and at.',
    }),
    signatures: z.array(z.strictObject({ keyid: z.string(), sig: z.string() })),
  })
  .meta({ id: 'SealedAuditHead', description: 'A DSSE envelope, signed with the key that signs build receipts.' });

const signHead = async (deps: ApiDeps, workspaceId: string) => {
  const { sequence, hash, position } = await deps.queries.auditHead({ workspaceId });
  const at = isoTime(deps.clock.now());
  return { sequence, sealed: deps.signHead({ workspaceId, sequence, hash, position: String(position), at }) };
};

const head = workspaceOperation(
  {
    id: 'getAuditHead',
    method: 'get',
    ownTime: true,
    path: '/workspaces/{workspaceId}/audit/head',
    tag,
    summary: 'The newest entry of the audit trail, signed',
    description:
      'Keep it elsewhere: `opslog audit verify --head` proves later that the chain still contains it, so that nobody cut ' +
      'entries off or replaced the chain as a whole.',
    role: 'ADMIN',
    ...noInput,
    success: { status: 200, description: 'The signed head', schema: sealedHead },
    problems: ['WorkspaceNotFound'],
  },
  async ({ deps, who }) => {
    const refused = needAllDepartments(who);
    if (refused) return refused;
    return { status: 200, body: (await signHead(deps, who.workspaceId)).sealed };
  },
);

const exportQuery = z.strictObject({
  format: z.enum(['jsonl', 'csv']).default('jsonl').meta({ description: 'JSON lines can be verified again.' }),
  ...filters,
});

const exportAll = workspaceOperation(
  {
    id: 'exportAudit',
    method: 'get',
    ownTime: true,
    path: '/workspaces/{workspaceId}/audit/export',
    tag,
    summary: 'The audit trail as a file, oldest entry first',
    description:
      'As JSON lines, what the hashes cover comes byte for byte, and the signed head at the end when nothing is filtered: ' +
      'whoever has the file verifies it without this server. As CSV, formulas are disarmed. An export that breaks off ends ' +
      'the connection without its last line.',
    role: 'ADMIN',
    query: exportQuery,
    body: noBody,
    success: {
      status: 200,
      description: 'The entries',
      schema: z.string(),
      mediaType: 'application/x-ndjson',
      otherMediaTypes: ['text/csv'],
    },
    problems: ['WorkspaceNotFound'],
  },
  async ({ deps, request, who, makeBit, query: { format, ...asked } }) => {
    const headers = format === 'csv' ? { 'Content-Type': 'text/csv; charset=utf-8; header=present' } : {};
    if (request.method === 'HEAD') return { status: 200, body: '', headers };
    const release = request.limiters.streams.take(who.workspaceId, `${who.caller.actor.kind}/${who.caller.actor.id}`);
    if (!release) return rateExceeded(10);
    const over = new AbortController();
    const signal = deps.streamsEnding ? AbortSignal.any([over.signal, deps.streamsEnding]) : over.signal;
    const { upTo, lines } = await whatToExport(deps, who, format, asked).catch((error: unknown) => {
      release();
      throw error;
    });
    const args = { ...asked, workspaceId: who.workspaceId, upTo, ...scopeOf(who) };
    return {
      status: 200,
      body: '',
      headers,
      stream: async (response) => {
        response.once('close', () => over.abort());
        const read = (place: { after: number; limit: number }) => deps.queries.auditExport({ ...args, ...place });
        await streamExport(response, { read, format: lines, makeBit }, signal).finally(release);
      },
    };
  },
);

/** Up to the head of now, whatever comes meanwhile; only a whole chain carries it. */
const whatToExport = async (
  deps: ApiDeps,
  who: Membership,
  format: 'jsonl' | 'csv',
  asked: Omit<z.output<typeof exportQuery>, 'format'>,
) => {
  const { sequence: upTo, sealed } = await signHead(deps, who.workspaceId);
  if (format === 'csv') return { upTo, lines: csvLines(deps.csv) };
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  const isComplete = Object.keys(given).length === 0 && who.departmentIds.length === 0;
  const about = { workspaceId: who.workspaceId, complete: isComplete, filters: given };
  return { upTo, lines: jsonLines(about, isComplete ? sealed : null) };
};

export const auditOperations: readonly Operation[] = [list, head, exportAll];
