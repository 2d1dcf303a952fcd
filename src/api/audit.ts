import { z } from 'zod';
import { workspaceOperation } from './define.ts';
import { scopeOf } from './guard.ts';
import { auditEntry, auditStatus, isoTime, pageOf } from './models.ts';
import { noBody, type Operation } from './operation.ts';
import { pageReply, pagingFields } from './paging.ts';
import { atField } from './pointInTime.ts';

const filter = z
  .string()
  .regex(/^[\w.:-]{1,200}$/, 'Letters, digits and . : - _.')
  .optional();
const auditQuery = z.strictObject({
  ...pagingFields,
  actorId: filter,
  action: filter.meta({ description: '`<category>.<Event>`, for example `edgeWorker.DeploymentAdmitted`.' }),
  resourceType: filter,
  resourceId: filter,
  status: auditStatus.optional(),
  from: atField.meta({ description: 'RFC 3339, inclusive.', format: 'date-time' }),
  to: atField.meta({ description: 'RFC 3339, exclusive.', format: 'date-time' }),
});

const list = workspaceOperation(
  {
    id: 'listAudit',
    method: 'get',
    path: '/workspaces/{workspaceId}/audit',
    tag: 'Audit',
    summary: 'What happened in a workspace',
    description:
      'One entry per fact, newest first, chained by hashes; secrets are masked. What was asked of edge workers and refused is in it, too.',
    role: 'ADMIN',
    query: auditQuery,
    body: noBody,
    success: { status: 200, description: 'A page of the audit trail', schema: pageOf(auditEntry, 'AuditPage') },
    problems: ['WorkspaceNotFound'],
  },
  ({ deps, request, who, query }) => {
    const { limit: _, cursor: __, ...filters } = query;
    const args = { ...filters, workspaceId: who.workspaceId, ...scopeOf(who) };
    return pageReply(
      request,
      query,
      (page) => deps.queries.audit({ ...page, ...args }),
      (row) => ({
        ...{ id: row.id, sequence: row.seq, action: row.action },
        actor: { type: row.actorType, id: row.actorId, authMethod: row.authMethod },
        resource: { type: row.resourceType, id: row.resourceId },
        ...{ departmentId: row.departmentId, riskLevel: row.riskLevel, status: row.status },
        ...{ requestId: row.requestId, correlationId: row.correlationId, causationId: row.causationId },
        ...{
          ip: row.ip,
          metadata: row.metadata,
          createdAt: isoTime(row.createdAt),
          previousHash: row.previousHash,
          hash: row.hash,
        },
      }),
    );
  },
);

export const auditOperations: readonly Operation[] = [list];
