import { z } from 'zod';
import { isSecretName, putEdgeSecret, putSecretSchema, removeEdgeSecret } from '../commands/edgeSecret.ts';
import { sha256 } from '../commands/envelope.ts';
import { type EdgeWorker, liveRevision } from '../domain/edgeWorker/index.ts';
import { edgeWorkerId } from '../domain/identifiers.ts';
import { departmentOperation } from './define.ts';
import { isoTime, pageOf, secret, storedSecret } from './models.ts';
import { answer, jsonBody, noBody, noQuery, type Operation } from './operation.ts';
import { pageReply, paging } from './paging.ts';
import { refuse } from './problem.ts';

const tag = 'Secrets';

const badName = refuse(
  'RequestInvalid',
  'A secret is named like a variable: letters, digits and _, not beginning with a digit, 64 at most.',
  { field: 'name' },
);

const put = departmentOperation(
  {
    id: 'putSecret',
    method: 'put',
    path: '/workspaces/{workspaceId}/departments/{departmentId}/worker/secrets/{name}',
    tag,
    summary: 'Store a secret, or a new version of it',
    description:
      'The value is sealed at once and never shown again; its digest tells whether it is the one that you mean. ' +
      'A revision that is submitted from now on reads this version; those that exist keep theirs.',
    role: 'MEMBER',
    query: noQuery,
    body: jsonBody(putSecretSchema),
    success: {
      status: 200,
      description: 'Stored; the version of before when the value is the same',
      schema: storedSecret,
    },
    problems: ['WorkspaceNotFound', 'DepartmentNotFound', 'EdgeSecretNotFound', 'SecretVersionsExhausted'],
  },
  async ({ deps, who, params: { name }, body: { value }, envelope }) => {
    if (!isSecretName(name)) return badName;
    const request = envelope(who.caller, who);
    const stored = await putEdgeSecret(deps, who, { name, value }, request);
    return answer(stored, request, (shown) => ({
      status: 200,
      body: { ...shown, position: stored.ok ? String(stored.position) : '' },
    }));
  },
);

/** Newest first, and no more of them than anybody reads. */
const shownRevisions = 20;

const pinsOf = (state: EdgeWorker, name: string) => {
  const pins = (state.status === 'absent' ? [] : state.revisions).flatMap(({ revision, secrets }) =>
    secrets.filter((pinned) => pinned.name === name).map(({ version }) => ({ revision, version })),
  );
  const live = state.status === 'absent' ? 0 : liveRevision(state);
  return {
    liveVersion: pins.find((each) => each.revision === live)?.version ?? null,
    revisions: pins.reverse().slice(0, shownRevisions),
  };
};

const list = departmentOperation(
  {
    id: 'listSecrets',
    method: 'get',
    path: '/workspaces/{workspaceId}/departments/{departmentId}/worker/secrets',
    tag,
    summary: 'Secrets of the department, without their values',
    role: 'VIEWER',
    query: paging,
    body: noBody,
    success: { status: 200, description: 'A page of secrets', schema: pageOf(secret, 'SecretPage') },
    problems: ['WorkspaceNotFound', 'DepartmentNotFound'],
  },
  async ({ deps, request, who: { workspaceId, departmentId }, query }) => {
    const { state } = await deps.aggregates.edgeWorker.load(edgeWorkerId(sha256, departmentId), { maxAgeMs: 500 });
    return pageReply(
      request,
      query,
      (page) => deps.queries.secrets({ ...page, companyId: workspaceId, departmentId }),
      ({ name, version, digest, storedBy, storedAt, createdAt }) => ({
        ...{ name, version, digest, ...pinsOf(state, name), storedBy },
        ...{ storedAt: isoTime(storedAt), createdAt: isoTime(createdAt) },
      }),
    );
  },
);

const removal = z.strictObject({
  force: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Remove it even though the live revision, or one on its way, reads it.' }),
});

const remove = departmentOperation(
  {
    id: 'removeSecret',
    method: 'delete',
    path: '/workspaces/{workspaceId}/departments/{departmentId}/worker/secrets/{name}',
    tag,
    summary: 'Remove a secret for good',
    description:
      'Every version goes: its keys are destroyed, so that nothing opens it any more, in no backup of the log either. ' +
      'Revisions that pin it can no longer be deployed.',
    role: 'MEMBER',
    query: removal,
    body: noBody,
    success: { status: 204, description: 'Removed', schema: z.null() },
    problems: [
      'WorkspaceNotFound',
      'DepartmentNotFound',
      'EdgeSecretNotFound',
      'SecretInUse',
      'SecretVersionsExhausted',
    ],
  },
  async ({ deps, who, params: { name }, query, envelope }) => {
    if (!isSecretName(name)) return badName;
    const request = envelope(who.caller, who);
    const removed = await removeEdgeSecret(deps, who, { name, force: query.force === 'true' }, request);
    return answer(removed, request, () => ({ status: 204, body: null }));
  },
);

export const edgeSecretOperations: readonly Operation[] = [put, list, remove];
