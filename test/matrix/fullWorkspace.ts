import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type Envelope, sha256 } from '../../src/commands/envelope.ts';
import { parseToken } from '../../src/commands/tokens.ts';
import { edgeDomainId, edgeWorkerId } from '../../src/domain/identifiers.ts';
import { type Answered, type ApiWorld, type Ask, admitted, helloWorker, submitted } from '../support/api.ts';

// A workspace with one of everything, each text of it with a canary in it: wherever that is seen, something of it was.

/** One of everything, by the name that the API's description gives its id. */
export type Instances = {
  readonly workspaceId: string;
  /** Of its owner. */
  readonly sessionId: string;
  readonly departmentId: string;
  readonly userId: string;
  readonly invitationId: string;
  readonly tokenId: string;
  readonly credentialId: string;
  readonly resourceId: string;
  readonly relationId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  /** Of the worker of the department. */
  readonly revision: string;
  readonly ticketId: string;
  readonly jobId: string;
  readonly hostname: string;
  /** Of a secret. */
  readonly name: string;
  readonly workerId: string;
};

export type FullWorkspace = {
  readonly token: string;
  readonly ownerId: string;
  readonly base: string;
  /** In lower case; whatever is called something is called something with it. */
  readonly canary: string;
  /** In the texts of what belongs to the department alone. */
  readonly inside: string;
  readonly ids: Instances;
};

/** Asks, and fails when the answer is not a success. */
export const must = async (world: ApiWorld, method: string, path: string, options: Ask): Promise<Answered> => {
  const answered = await world.ask(method, path, options);
  if (answered.status >= 300) throw new Error(`${method} ${path}: ${answered.status} ${answered.text}`);
  return answered;
};

export const idOf = ({ body }: Answered, name = 'id'): string => {
  const id: unknown = Object(body)[name];
  if (typeof id !== 'string') throw new Error(`No ${name} in ${JSON.stringify(body)}.`);
  return id;
};

/** The id that is in the token of a session. */
export const sessionOf = (token: string): string => {
  const parsed = parseToken(token);
  if (parsed?.kind !== 'session') throw new Error('This is no token of a session.');
  return parsed.id;
};

type Options = {
  readonly owner: { readonly token: string; readonly userId: string };
  readonly canary: string;
  readonly revisions: number;
};

export const aFullWorkspace = async (
  world: ApiWorld,
  { owner: { token, userId: ownerId }, canary, revisions }: Options,
): Promise<FullWorkspace> => {
  const created = await must(world, 'POST', '/workspaces', {
    token,
    body: { name: `Company ${canary}`, slug: `company-${canary}` },
  });
  const workspaceId = idOf(created);
  const base = `/workspaces/${workspaceId}`;
  const inside = `${canary}in`;
  const post = (path: string, body: unknown) => must(world, 'POST', `${base}${path}`, { token, body });

  const department = await aDepartment(world, { token, base, workspaceId, word: inside, revisions });
  const { departmentId } = department;
  const rights = { role: 'VIEWER', departmentIds: [departmentId] };
  const invited = await post('/invitations', { email: `member-${canary}@example.com`, ...rights });
  const member = await must(world, 'POST', '/auth/invitations/register', {
    body: { token: idOf(invited, 'token'), displayName: `Member ${canary}`, password: `pw-${randomUUID()}` },
  });
  const open = await post('/invitations', { email: `invited-${inside}@example.com`, ...rights });
  const issued = await post('/api-tokens', { name: `Token ${inside}`, role: 'VIEWER', departmentId });
  const credential = await post('/credentials', {
    ...{ name: `Credential ${inside}`, description: `For ${inside}`, departmentId },
    value: { kind: 'apiToken', provider: 'cloudflare', token: `token-${inside}-token` },
  });
  const resource = idOf(
    await post('/resources', {
      name: `Resource ${inside}`,
      kind: 'printer',
      departmentId,
      description: `Of ${inside}`,
    }),
  );
  await post(`/resources/${resource}/tag`, { tags: ['shared', `of=${inside}`] });
  const relation = await post('/resource-relations', {
    sourceId: resource,
    type: 'prints_for',
    targetId: departmentId,
  });
  const url = `https://${inside}.hooks.example/in`;
  const hook = await post('/webhooks', {
    url,
    description: `For ${inside}`,
    eventTypes: ['*'],
    departmentIds: [departmentId],
  });
  const delivery = await post(`/webhooks/${idOf(hook)}/test`, {});
  const things = {
    ...{ credentialId: idOf(credential), resourceId: resource, relationId: idOf(relation) },
    ...{ webhookId: idOf(hook), deliveryId: idOf(delivery, 'deliveryId') },
  };
  const people = { userId: idOf(member, 'userId'), invitationId: idOf(open), tokenId: idOf(issued) };
  const ids = { workspaceId, sessionId: sessionOf(token), ...people, ...things, ...department };
  return { token, ownerId, base, canary, inside, ids };
};

type DepartmentOptions = {
  readonly token: string;
  readonly base: string;
  readonly workspaceId: string;
  /** In every text. */
  readonly word: string;
  readonly revisions: number;
};

type OfDepartment = Pick<
  Instances,
  'departmentId' | 'revision' | 'ticketId' | 'jobId' | 'hostname' | 'name' | 'workerId'
>;

/** A department whose worker is live, with a secret, a host name and a job. */
export const aDepartment = async (
  world: ApiWorld,
  { token, base, workspaceId, word, revisions }: DepartmentOptions,
): Promise<OfDepartment> => {
  const body = { name: `Department ${word}`, slug: `department-${word}` };
  const departmentId = idOf(await must(world, 'POST', `${base}/departments`, { token, body }));
  const worker = `${base}/departments/${departmentId}/worker`;
  const name = `KEY_${word.toUpperCase()}`;
  await must(world, 'PUT', `${worker}/secrets/${name}`, { token, body: { value: `value-${word}-value` } });
  let ticketId = '';
  for (let revision = 1; revision <= revisions; revision += 1) {
    const answered = await must(world, 'POST', `${worker}/revisions`, {
      ...{ token, body: { ...helloWorker(`${word} ${revision}`), variables: { GREETING: word } } },
    });
    submitted.parse(answered.body);
    const deployment = await must(world, 'POST', `${worker}/deployments`, { token, body: { revision } });
    ticketId = admitted.parse(deployment.body).ticketId;
    await world.carryOut(edgeWorkerId(sha256, departmentId), ticketId);
  }
  const hostname = `${word}.example.com`;
  await must(world, 'POST', `${worker}/domains`, { token, body: { hostname } });
  await tellDomain(world, { hostname, workspaceId, departmentId }, 'ConfirmDomainAttachment');
  const looking = await must(world, 'POST', `${worker}/domains/${hostname}/verify`, { token });
  const workerId = edgeWorkerId(sha256, departmentId);
  return {
    departmentId,
    revision: String(revisions),
    ticketId,
    jobId: idOf(looking, 'jobId'),
    hostname,
    name,
    workerId,
  };
};

/** What the runner would say of a host name. */
export const tellDomain = async (
  world: ApiWorld,
  { hostname, workspaceId, departmentId }: Pick<Instances, 'hostname' | 'workspaceId' | 'departmentId'>,
  type: 'ConfirmDomainAttachment' | 'ConfirmDomainDetachment',
): Promise<void> => {
  const envelope: Envelope = {
    ...{ commandId: randomUUID(), commandDigest: '', actor: { kind: 'system', id: 'runner' }, authMethod: 'system' },
    ...{ workspaceId, departmentId, requestId: '', correlationId: '', causationId: '' },
  };
  const command = { type, data: { claim: 1, facts: {} } };
  expect(await world.aggregates.edgeDomain.send(edgeDomainId(sha256, hostname), command, envelope)).toMatchObject({
    ok: true,
  });
};
