import { z } from 'zod';
import {
  createCredential,
  deleteCredential,
  describeCredential,
  renameCredential,
  replaceCredential,
  type ShownCredential,
} from '../commands/credential.ts';
import {
  createCredentialSchema,
  describeCredentialSchema,
  renameCredentialSchema,
  replaceCredentialSchema,
} from '../commands/credentialFields.ts';
import { atLeast } from '../domain/roles.ts';
import type { CredentialAnswer } from '../projections/credential/credentialList.ts';
import { credential, credentialDetails, kindField, writtenCredential } from './credentialModels.ts';
import { workspaceOperation } from './define.ts';
import type { ApiDeps } from './deps.ts';
import {
  enterDepartment,
  isId,
  type Membership,
  mayEnter,
  needAllDepartments,
  noDepartment,
  scopeOf,
} from './guard.ts';
import { isoTime, pageOf } from './models.ts';
import { answer, jsonBody, noBody, noInput, noQuery, type Operation } from './operation.ts';
import { pageReply, pagingFields } from './paging.ts';
import { isRefusal, type Refusal, refuse } from './problem.ts';

const tag = 'Credentials';
const base = '/workspaces/{workspaceId}/credentials';
const one = '/workspaces/{workspaceId}/credentials/{credentialId}';

const noCredential = refuse('CredentialNotFound', 'There is no such credential in this workspace.');

/** A member sees that there is one and of what kind; what it is for whom is for those who keep it. */
const shownTo = (
  { role }: Membership,
  { description, details, version, digest, storedBy, storedAt, lastUse, ...row }: CredentialAnswer,
) => {
  const { updatedAt: _, ...named } = { ...row, createdAt: isoTime(row.createdAt) };
  if (!atLeast(role, 'ADMIN')) {
    const hidden = { description: null, details: null, version: null, digest: null };
    return { ...named, ...hidden, storedBy: null, storedAt: null, lastUse: null };
  }
  return {
    ...{ ...named, description, details: credentialDetails.parse(details), version, digest, storedBy },
    storedAt: isoTime(storedAt),
    lastUse: lastUse && { ...lastUse, at: isoTime(lastUse.at) },
  };
};

const writtenOf = (workspaceId: string, { credentialId, departmentId, details, ...shown }: ShownCredential) => ({
  ...{ id: credentialId, workspaceId, departmentId: departmentId === '' ? null : departmentId },
  ...{ ...shown, kind: details.kind, details: credentialDetails.parse(details) },
});

const filter = z.strictObject({
  ...pagingFields,
  kind: kindField.optional(),
  departmentId: z.string().max(64).optional().meta({ description: 'Only those bound to this department.' }),
});

const list = workspaceOperation(
  {
    id: 'listCredentials',
    method: 'get',
    path: base,
    tag,
    summary: 'Credentials of a workspace, without their values',
    description: 'Whoever is limited to departments sees those that are bound to them.',
    role: 'MEMBER',
    query: filter,
    body: noBody,
    success: { status: 200, description: 'A page of credentials', schema: pageOf(credential, 'CredentialPage') },
    problems: ['WorkspaceNotFound'],
  },
  ({ deps, request, who, query: { kind, departmentId, ...paging } }) =>
    pageReply(
      request,
      paging,
      (page) =>
        deps.queries.credentials({ ...page, workspaceId: who.workspaceId, kind, departmentId, ...scopeOf(who) }),
      (row) => shownTo(who, row),
    ),
);

const get = workspaceOperation(
  {
    id: 'getCredential',
    method: 'get',
    path: one,
    tag,
    summary: 'One credential, without its value',
    role: 'MEMBER',
    query: noQuery,
    body: noBody,
    success: { status: 200, description: 'The credential', schema: credential },
    problems: ['WorkspaceNotFound', 'CredentialNotFound'],
  },
  async ({ deps, who, params: { credentialId } }) => {
    if (!isId(credentialId)) return noCredential;
    const { workspaceId } = who;
    const row = await deps.queries.credential({ workspaceId, credentialId, ...scopeOf(who) });
    if (!row) return noCredential;
    const { revision } = await deps.aggregates.credential.load(credentialId);
    return { status: 200, revision, body: shownTo(who, row) };
  },
);

const create = workspaceOperation(
  {
    id: 'createCredential',
    method: 'post',
    path: base,
    tag,
    summary: 'Create a credential',
    description:
      'Its value is sealed at once and never shown again, to nobody. An SSH key can be made here: then the answer has ' +
      'its public key.',
    role: 'ADMIN',
    query: noQuery,
    body: jsonBody(createCredentialSchema),
    success: { status: 201, description: 'Created', schema: writtenCredential },
    problems: [
      ...(['WorkspaceNotFound', 'DepartmentNotFound', 'NameTaken', 'SshKeyInvalid'] as const),
      ...(['CredentialNotFound', 'CredentialExists', 'CredentialKindFixed'] as const),
    ],
  },
  async ({ deps, who, body, envelope }) => {
    const { departmentId } = body;
    if (departmentId === undefined) {
      const refused = needAllDepartments(who);
      if (refused) return refused;
    } else if (isRefusal(await enterDepartment(deps, who, departmentId))) {
      return { ...noDepartment, field: 'departmentId' };
    }
    const { workspaceId } = who;
    const request = envelope(who.caller, { workspaceId, departmentId: departmentId ?? '' });
    return answer(await createCredential(deps, workspaceId, body, request), request, (shown) => ({
      status: 201,
      body: writtenOf(workspaceId, shown),
      headers: { Location: `/workspaces/${workspaceId}/credentials/${shown.credentialId}` },
    }));
  },
);

type Owner = { readonly workspaceId: string; readonly credentialId: string; readonly departmentId: string };

/** Deleted, foreign, out of reach and never made are one. */
const ownerOf = async (
  { aggregates }: ApiDeps,
  who: Membership,
  credentialId: string,
): Promise<Owner | Refusal<'CredentialNotFound'>> => {
  if (!isId(credentialId)) return noCredential;
  const { state } = await aggregates.credential.load(credentialId);
  if (state.status === 'absent' || state.workspaceId !== who.workspaceId) return noCredential;
  return mayEnter(who, state.departmentId)
    ? { workspaceId: who.workspaceId, credentialId, departmentId: state.departmentId }
    : noCredential;
};

const problems = [
  ...(['WorkspaceNotFound', 'CredentialNotFound', 'CredentialExists', 'CredentialKindFixed'] as const),
  ...(['NameTaken', 'SshKeyInvalid'] as const),
] as const;

const replace = workspaceOperation(
  {
    id: 'replaceCredential',
    method: 'post',
    path: `${one}/replace`,
    tag,
    summary: 'Replace the value of a credential',
    description:
      'The next version, under a key of its own; the key of the one before is destroyed. The kind stays. The same value ' +
      'again changes nothing.',
    role: 'ADMIN',
    query: noQuery,
    body: jsonBody(replaceCredentialSchema),
    success: { status: 200, description: 'Replaced', schema: writtenCredential },
    problems,
  },
  async ({ deps, who, params: { credentialId }, body: { value }, envelope }) => {
    const owner = await ownerOf(deps, who, credentialId);
    if (isRefusal(owner)) return owner;
    const request = envelope(who.caller, owner);
    return answer(await replaceCredential(deps, owner, value, request), request, (shown) => ({
      status: 200,
      body: writtenOf(who.workspaceId, shown),
    }));
  },
);

const rename = workspaceOperation(
  {
    id: 'renameCredential',
    method: 'post',
    path: `${one}/rename`,
    tag,
    summary: 'Rename a credential',
    role: 'ADMIN',
    query: noQuery,
    body: jsonBody(renameCredentialSchema),
    success: { status: 200, description: 'Renamed', schema: writtenCredential },
    problems,
  },
  async ({ deps, who, params: { credentialId }, body: { name }, envelope }) => {
    const owner = await ownerOf(deps, who, credentialId);
    if (isRefusal(owner)) return owner;
    const request = envelope(who.caller, owner);
    return answer(await renameCredential(deps, owner, name, request), request, (shown) => ({
      status: 200,
      body: writtenOf(who.workspaceId, shown),
    }));
  },
);

const describe = workspaceOperation(
  {
    id: 'describeCredential',
    method: 'post',
    path: `${one}/describe`,
    tag,
    summary: 'Give a credential another description',
    role: 'ADMIN',
    query: noQuery,
    body: jsonBody(describeCredentialSchema),
    success: { status: 200, description: 'Described', schema: writtenCredential },
    problems,
  },
  async ({ deps, who, params: { credentialId }, body: { description }, envelope }) => {
    const owner = await ownerOf(deps, who, credentialId);
    if (isRefusal(owner)) return owner;
    const request = envelope(who.caller, owner);
    return answer(await describeCredential(deps, credentialId, description, request), request, (shown) => ({
      status: 200,
      body: writtenOf(who.workspaceId, shown),
    }));
  },
);

const remove = workspaceOperation(
  {
    id: 'deleteCredential',
    method: 'delete',
    path: one,
    tag,
    summary: 'Delete a credential for good',
    description:
      'From now on nobody reads it, and its keys are destroyed, so that nothing opens it any more, in no backup of the log ' +
      'either. What uses it fails from then on.',
    role: 'ADMIN',
    ...noInput,
    success: { status: 204, description: 'Deleted', schema: z.null() },
    problems,
  },
  async ({ deps, who, params: { credentialId }, envelope }) => {
    const owner = await ownerOf(deps, who, credentialId);
    if (isRefusal(owner)) return owner;
    const request = envelope(who.caller, owner);
    const deleted = await deleteCredential(deps, credentialId, 'requested', request);
    // Only a retry of the deletion itself may find it deleted.
    if (deleted.ok && deleted.events.length === 0) return noCredential;
    return answer(deleted, request, () => ({
      status: 204,
      body: null,
    }));
  },
);

export const credentialOperations: readonly Operation[] = [list, create, get, replace, rename, describe, remove];
