import fc from 'fast-check';
import { operationFixtures } from '../matrix/fixtures.ts';
import type { Instances } from '../matrix/fullWorkspace.ts';
import { type Asking, isSchema, resolved, type Schema, schemaIn } from './described.ts';
import { type Json, jsonOf, type Member } from './json.ts';
import { placeholder, valueFor } from './values.ts';

// Bodies that are right in every respect, also in what no schema can say: made after the fixtures of the matrix.

const names = [
  ...['workspaceId', 'sessionId', 'departmentId', 'userId', 'invitationId', 'tokenId', 'credentialId', 'resourceId'],
  ...['relationId', 'webhookId', 'deliveryId', 'revision', 'ticketId', 'jobId', 'hostname', 'name', 'workerId'],
] as const satisfies readonly (keyof Instances)[];
const nobodys: Readonly<Record<(typeof names)[number], string>> = {
  ...{ workspaceId: '', sessionId: '', departmentId: '', userId: '', invitationId: '', tokenId: '', credentialId: '' },
  ...{ resourceId: '', relationId: '', webhookId: '', deliveryId: '', revision: '', ticketId: '', jobId: '' },
  ...{ hostname: '', name: '', workerId: '' },
};
const placeholders: Instances = { ...nobodys, ...Object.fromEntries(names.map((name) => [name, placeholder(name)])) };

/** Where the matrix asks for a refusal, or cannot know what is true of the world just now. */
const instead: Readonly<Record<string, object>> = {
  openSession: { email: '{{email}}', password: '{{password}}' },
  changePassword: { currentPassword: '{{password}}', newPassword: 'another long {{label}}' },
  deleteWorkspace: { confirm: '{{slug}}' },
  showInvitation: { token: '{{invitation}}' },
  registerByInvitation: { token: '{{invitation}}', displayName: 'Somebody', password: 'a password of {{label}}' },
  acceptInvitation: { token: '{{invitation}}' },
  putDomainCertificate: { certificate: '{{certificate}}', privateKey: '{{privateKey}}' },
  deployRevision: { supersede: true },
  rollBack: { supersede: true },
  rotateWebhookSecret: { overlapHours: 1 },
};

const fixed = (id: string): object | undefined => instead[id] ?? operationFixtures[id]?.body?.(placeholders);

/** A right one, to which fields are added, or in which free texts are others. */
const varied = (id: string, schema: Schema): fc.Arbitrary<Json> => {
  const properties = isSchema(schema['properties']) ? Object.entries(schema['properties']) : [];
  const others = properties.map(([name, each]) =>
    fc.option(
      valueFor(schemaIn(each), name).map((value): Member => [name, value]),
      { nil: undefined, freq: 4 },
    ),
  );
  return fc.tuple(...others).map((made) => {
    const base = jsonOf(fixed(id) ?? {});
    const members = 'members' in base ? base.members : [];
    const replaced = new Map([...members, ...made.flatMap((member) => (member === undefined ? [] : [member]))]);
    return { members: [...replaced] };
  });
};

export const rightBody = ({ id, body }: Asking): fc.Arbitrary<Json> | undefined => {
  if (!body) return undefined;
  const schema = resolved(body.schema);
  const fresh = fc.constant(null).map((): Json => jsonOf(fixed(id) ?? {}));
  return fc.oneof(
    { weight: 4, arbitrary: fixed(id) === undefined ? valueFor(schema) : fresh },
    { weight: 3, arbitrary: varied(id, schema) },
    { weight: 2, arbitrary: valueFor(schema) },
  );
};
