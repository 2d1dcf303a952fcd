import { randomBytes } from 'node:crypto';
import { type ApiWorld, aMember } from '../support/api.ts';
import type { Gone } from './fixtures.ts';
import { aDepartment, type FullWorkspace, idOf, must, tellDomain } from './fullWorkspace.ts';

export const word = () => `c${randomBytes(6).toString('hex')}`;

/** Makes one more of what can be deleted in one's own workspace, and deletes it. */
export const whatIsGone = async (world: ApiWorld, own: FullWorkspace): Promise<Gone> => {
  const { token, base, ids } = own;
  const { workspaceId, departmentId: kept } = ids;
  const post = (path: string, body: object) => must(world, 'POST', `${base}${path}`, { token, body });
  const remove = (path: string) => must(world, 'DELETE', `${base}${path}`, { token });
  const removed = async (path: string, body: object): Promise<string> => {
    const id = idOf(await post(path, body));
    await remove(`${path}/${id}`);
    return id;
  };

  const slug = word();
  const closed = await must(world, 'POST', '/workspaces', { token, body: { name: 'Closed', slug } });
  await must(world, 'DELETE', `/workspaces/${idOf(closed)}`, { token, body: { confirm: slug } });
  const department = await aDepartment(world, { token, base, workspaceId, word: word(), revisions: 1 });
  await remove(`/departments/${department.departmentId}`);
  const member = await aMember(world, { ...own, ...ids, worker: '' }, { role: 'VIEWER' });
  await remove(`/members/${member.userId}`);
  const rights = { role: 'VIEWER', departmentIds: [kept] };
  const value = { kind: 'apiToken', provider: 'cloudflare', token: 'deleted' };
  const things = {
    invitationId: await removed('/invitations', { email: 'revoked@example.com', ...rights }),
    credentialId: await removed('/credentials', { name: 'Deleted', value }),
    resourceId: await removed('/resources', { name: 'Removed', kind: 'printer', departmentId: kept }),
    relationId: await removed('/resource-relations', { sourceId: ids.resourceId, type: 'once', targetId: kept }),
    webhookId: await removed('/webhooks', { url: 'https://hooks.example/removed', eventTypes: ['*'] }),
  };
  const { ticketId, departmentId } = department;
  const people = { workspaceId: idOf(closed), departmentId, userId: member.userId };
  return { ...people, ...things, ticketId, ...(await goneFromWorker(world, own)) };
};

/** A secret and a host name. */
const goneFromWorker = async (world: ApiWorld, { token, base, ids }: FullWorkspace): Promise<Gone> => {
  const worker = `${base}/departments/${ids.departmentId}/worker`;
  const [name, hostname] = ['KEY_GONE', `${word()}.example.com`];
  await must(world, 'PUT', `${worker}/secrets/${name}`, { token, body: { value: 'gone' } });
  await must(world, 'DELETE', `${worker}/secrets/${name}`, { token });
  await must(world, 'POST', `${worker}/domains`, { token, body: { hostname } });
  await tellDomain(world, { ...ids, hostname }, 'ConfirmDomainAttachment');
  await must(world, 'DELETE', `${worker}/domains/${hostname}`, { token });
  await tellDomain(world, { ...ids, hostname }, 'ConfirmDomainDetachment');
  return { name, hostname };
};
