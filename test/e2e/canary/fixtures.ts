import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { issue } from '../../support/certificates.ts';
import { anSshPair } from '../../support/sshPair.ts';
import { type Caller, canary, type Sending } from './caller.ts';

const sshKey = () => {
  const passphrase = canary();
  const { private: privateKey } = anSshPair({
    ...{ passphrase, cipher: 'aes256-ctr', rounds: 1 },
  });
  return { kind: 'sshKey', userName: 'deploy', privateKey, passphrase };
};

/** Every kind of credential, with a secret in each of its fields. */
const values = () => [
  sshKey(),
  { kind: 'sshPassword', userName: 'root', password: canary() },
  { kind: 'apiToken', provider: 'cloudflare', token: canary() },
  { kind: 'registryLogin', registry: 'ghcr.io', userName: 'robot', password: canary() },
  { kind: 'generic', fields: { KEY: canary(), OTHER: canary() } },
];

type Options = {
  readonly admin: { readonly email: string; readonly password: string };
  /** Is told of everything in the workspace. */
  readonly hook: string;
};

/** Sends a secret in every field that takes one, and has every secret told; answers those requests that took one. */
export const sendEverywhere = async ({ must: call, send }: Caller, { admin, hook }: Options) => {
  const taking: Sending[] = [];
  const take = (sending: Sending) => {
    taking.push(sending);
    return call({ ...sending, headers: { 'idempotency-key': canary() } });
  };
  const post = (operationId: string, path: string, token: string | undefined, body: object): Sending => ({
    ...{ operationId, method: 'POST', path, token, body },
  });

  const token = String((await take(post('openSession', '/auth/sessions', undefined, admin)))['token']);
  const company = async (slug: string) =>
    `/workspaces/${(await call(post('createWorkspace', '/workspaces', token, { name: slug, slug })))['id']}`;
  const [base, other] = [await company('canaries'), await company('others')];
  const made = await call(post('createDepartment', `${base}/departments`, token, { name: 'Sales', slug: 'sales' }));
  const worker = `${base}/departments/${made['id']}/worker`;
  const listening = { url: hook, eventTypes: ['*'] };
  await call(post('createWebhook', `${base}/webhooks`, token, listening));

  const [email, password] = [`${randomUUID()}@example.com`, canary()];
  const invite = async (where: string) => {
    const invited = await call(post('inviteMember', `${where}/invitations`, token, { email, role: 'MEMBER' }));
    return String(invited['token']);
  };
  const invitation = await invite(base);
  await take(post('showInvitation', '/auth/invitations/show', undefined, { token: invitation }));
  const registering = { token: invitation, displayName: 'Ada', password };
  await take(post('registerByInvitation', '/auth/invitations/register', undefined, registering));
  const session = await take(post('openSession', '/auth/sessions', undefined, { email, password }));
  const member = String(session['token']);
  const changing = { currentPassword: password, newPassword: canary() };
  await take(post('changePassword', '/auth/password', member, changing));
  await take(post('acceptInvitation', '/auth/invitations/accept', member, { token: await invite(other) }));

  const issuing = { name: 'CI', role: 'VIEWER' };
  const ci = String((await call(post('issueApiToken', `${base}/api-tokens`, token, issuing)))['token']);
  await call({ operationId: 'getMe', method: 'GET', path: '/auth/me', token: ci });
  const { id } = await call(post('createWebhook', `${base}/webhooks`, token, { ...listening, url: `${hook}/2` }));
  await call(post('rotateWebhookSecret', `${base}/webhooks/${id}/rotate-secret`, token, { overlapHours: 1 }));

  for (const [index, value] of values().entries()) {
    const creating = { name: `credential ${index}`, value };
    const created = await take(post('createCredential', `${base}/credentials`, token, creating));
    const next = values()[index];
    await take(post('replaceCredential', `${base}/credentials/${created['id']}/replace`, token, { value: next }));
  }

  await take({
    ...{ operationId: 'putSecret', method: 'PUT', path: `${worker}/secrets/API_KEY`, token },
    body: { value: canary() },
  });
  const content = 'export default { fetch: (_request, env) => new Response(String(env.API_KEY.length)) };';
  const source = { files: [{ path: 'index.js', content }], entryPoint: 'index.js', secretNames: ['API_KEY'] };
  const { revision } = await call(post('submitRevision', `${worker}/revisions`, token, source));
  const { ticketId } = await call(post('deployRevision', `${worker}/deployments`, token, { revision }));
  const look = (operationId: string, path: string) => send({ operationId, method: 'GET', path, token });
  const becomes = async (operationId: string, path: string, status: string) =>
    vi.waitFor(async () => expect((await look(operationId, path)).text).toContain(`"status":"${status}"`), {
      timeout: 60_000,
    });
  await becomes('getDeployment', `/worker/deployments/${ticketId}`, 'completed');

  const hostname = `${randomUUID()}.example.com`;
  await call(post('attachDomain', `${worker}/domains`, token, { hostname }));
  const domain = `${worker}/domains/${hostname}`;
  await becomes('getDomain', domain, 'attached');
  const { certificate, privateKey } = issue([hostname]);
  await take({
    ...{ operationId: 'putDomainCertificate', method: 'PUT', path: `${domain}/certificate`, token },
    body: { certificate, privateKey },
  });
  return { taking, token, base, worker };
};
