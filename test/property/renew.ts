import { randomUUID } from 'node:crypto';
import { webhookList } from '../../src/api/webhookModels.ts';
import { type FullWorkspace, idOf, must, sessionOf, tellDomain } from '../matrix/fullWorkspace.ts';
import { word } from '../matrix/gone.ts';
import type { ApiWorld } from '../support/api.ts';
import { issue } from '../support/certificates.ts';
import { aDeadDelivery } from './deadDelivery.ts';

/** What placeholders stand for. */
export type Bindings = Readonly<Record<string, string>>;
export type Giver = { readonly world: ApiWorld; readonly own: FullWorkspace };

// Something that may be ended, for each operation that ends what it is asked about: the world is never emptied.

const post = ({ world, own }: Giver, path: string, body?: object) =>
  must(world, 'POST', `${own.base}${path}`, { token: own.token, ...(body && { body }) });
const made = async (giver: Giver, path: string, body: object): Promise<string> => idOf(await post(giver, path, body));
const worker = ({ own }: Giver) => `/departments/${own.ids.departmentId}/worker`;

const invitation = async (giver: Giver, email = `${randomUUID()}@example.com`) => {
  const invited = await post(giver, '/invitations', { email, role: 'VIEWER' });
  return { invitationId: idOf(invited), invitation: idOf(invited, 'token') };
};

/** Somebody new: signed in, with a password that is known. */
const guest = async (giver: Giver): Promise<Bindings> => {
  const { invitation: token } = await invitation(giver);
  const password = `pw-${randomUUID()}`;
  const body = { token, displayName: 'A guest', password };
  const joined = await must(giver.world, 'POST', '/auth/invitations/register', { body });
  const email = idOf(joined, 'email');
  return { email, password, userId: idOf(joined, 'userId'), token: await signedIn(giver, email, password) };
};

const signedIn = async ({ world }: Giver, email: string, password: string): Promise<string> =>
  idOf(await must(world, 'POST', '/auth/sessions', { body: { email, password } }), 'token');

let steady: Promise<Bindings> | undefined;
/** Whose account nobody ends. */
const steadyGuest = (giver: Giver): Promise<Bindings> => {
  steady ??= guest(giver);
  return steady;
};

const session = async (giver: Giver): Promise<Bindings> => {
  const { email = '', password = '' } = await steadyGuest(giver);
  const token = await signedIn(giver, email, password);
  return { token, sessionId: sessionOf(token), email, password };
};

/** Of somebody who has an account, and is not there yet, or not any more. */
const invitationOfKnown = async (giver: Giver): Promise<Bindings> => {
  const { email = '', userId = '', token = '' } = await steadyGuest(giver);
  const slug = word();
  const { world, own } = giver;
  const elsewhere = idOf(
    await must(world, 'POST', '/workspaces', { token: own.token, body: { name: 'Inviting', slug } }),
  );
  const invited = await must(world, 'POST', `/workspaces/${elsewhere}/invitations`, {
    ...{ token: own.token, body: { email, role: 'VIEWER' } },
  });
  return { token, userId, invitation: idOf(invited, 'token') };
};

const hostname = async (giver: Giver): Promise<Bindings> => {
  const name = `${word()}.example.com`;
  await post(giver, `${worker(giver)}/domains`, { hostname: name });
  await tellDomain(giver.world, { ...giver.own.ids, hostname: name }, 'ConfirmDomainAttachment');
  return { hostname: name };
};

const certificate = async (giver: Giver): Promise<Bindings> => {
  const { hostname: name = '' } = await hostname(giver);
  return { hostname: name, ...pemFor(name) };
};
const pemFor = (name: string) => {
  const { certificate: pem, privateKey } = issue([name]);
  return { certificate: pem, privateKey };
};

/** Nobody has paused it. */
const ready = async (giver: Giver): Promise<Bindings> => {
  await post(giver, `${worker(giver)}/resume`);
  return {};
};

/** A workspace has only so many. */
const roomForWebhooks = async ({ world, own: { token, base, ids } }: Giver): Promise<Bindings> => {
  const list = await must(world, 'GET', `${base}/webhooks?waitFor=${await world.log.head()}`, { token });
  for (const { id } of webhookList.parse(list.body).items) {
    if (id !== ids.webhookId) await must(world, 'DELETE', `${base}/webhooks/${id}`, { token });
  }
  return {};
};

export const renewals: Readonly<Record<string, (giver: Giver) => Promise<Bindings>>> = {
  openSession: steadyGuest,
  closeSession: session,
  revokeSession: session,
  changePassword: guest,
  showInvitation: invitation,
  registerByInvitation: invitation,
  acceptInvitation: invitationOfKnown,
  revokeInvitation: invitation,
  leaveWorkspace: guest,
  removeMember: async (giver) => {
    const { userId = '' } = await guest(giver);
    return { userId };
  },
  deleteWorkspace: async ({ world, own }) => {
    const slug = word();
    const answered = await must(world, 'POST', '/workspaces', {
      token: own.token,
      body: { name: 'Short-lived', slug },
    });
    return { workspaceId: idOf(answered), slug, token: own.token };
  },
  removeDepartment: async (giver) => ({
    departmentId: await made(giver, '/departments', { name: 'Short-lived', slug: word() }),
  }),
  revokeApiToken: async (giver) => ({ tokenId: await made(giver, '/api-tokens', { name: 'Short', role: 'VIEWER' }) }),
  detachDomain: hostname,
  putDomainCertificate: certificate,
  removeDomainCertificate: async (giver) => {
    const { hostname: name = '', ...pem } = await certificate(giver);
    const { world, own } = giver;
    const path = `${own.base}${worker(giver)}/domains/${name}/certificate`;
    await must(world, 'PUT', path, { token: own.token, body: pem });
    return { hostname: name };
  },
  removeSecret: async (giver) => {
    const name = `KEY_${word()}`;
    const { world, own } = giver;
    const path = `${own.base}${worker(giver)}/secrets/${name}`;
    await must(world, 'PUT', path, { token: own.token, body: { value: 'short-lived' } });
    return { name };
  },
  deployRevision: ready,
  rollBack: ready,
  cancelDeployment: async (giver) => {
    await ready(giver);
    return { ticketId: idOf(await post(giver, `${worker(giver)}/deployments`, { supersede: true }), 'ticketId') };
  },
  cancelJob: async (giver) => {
    const hook = `/webhooks/${giver.own.ids.webhookId}`;
    await post(giver, `${hook}/resume`);
    return { jobId: idOf(await post(giver, `${hook}/test`), 'deliveryId') };
  },
  redriveJob: async (giver) => ({ jobId: await aDeadDelivery(giver) }),
  redriveWebhookDelivery: async (giver) => ({ deliveryId: await aDeadDelivery(giver) }),
  deleteCredential: async (giver) => {
    const value = { kind: 'apiToken', provider: 'cloudflare', token: 'short-lived' };
    return { credentialId: await made(giver, '/credentials', { name: `Short ${word()}`, value }) };
  },
  removeResource: async (giver) => ({
    resourceId: await made(giver, '/resources', { name: 'Short-lived', kind: 'printer' }),
  }),
  unrelateResources: async (giver) => {
    const { resourceId: sourceId, departmentId: targetId } = giver.own.ids;
    return { relationId: await made(giver, '/resource-relations', { sourceId, type: `once_${word()}`, targetId }) };
  },
  createWebhook: roomForWebhooks,
  removeWebhook: async (giver) => {
    await roomForWebhooks(giver);
    return { webhookId: await made(giver, '/webhooks', { url: `https://${word()}.example/in`, eventTypes: ['*'] }) };
  },
};
