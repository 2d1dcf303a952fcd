import type { WebhookEvent } from '../../../domain/webhook/index.ts';
import { featureMapping } from '../graphChange.ts';

/** The host alone: the rest of an address may be what its receiver takes for a secret. */
const hostOf = (url: string): string => /^https?:\/\/(?:[^@/?#]*@)?([^/?#]+)/i.exec(url)?.[1] ?? '';

/** For those who keep webhooks. */
export const webhookResources = featureMapping<WebhookEvent>({
  WebhookCreated: ({ data: { workspaceId, url }, meta: { subjectId: id } }) => {
    const resource = { ...{ id, type: 'webhook', workspaceId, departmentId: '' }, name: hostOf(url), status: 'active' };
    return [{ change: 'resourceAdded', resource }];
  },
  WebhookRevised: ({ data, meta }) => [
    { change: 'resourceRevised', id: meta.subjectId, facts: { name: hostOf(data.url) } },
  ],
  WebhookPaused: ({ meta }) => [{ change: 'resourceRevised', id: meta.subjectId, facts: { status: 'paused' } }],
  WebhookResumed: ({ meta }) => [
    { change: 'resourceRevised', id: meta.subjectId, facts: { status: 'active', detail: '' } },
  ],
  WebhookFailureBegan: ({ meta }) => [{ change: 'resourceRevised', id: meta.subjectId, facts: { detail: 'failing' } }],
  WebhookRecovered: ({ meta }) => [{ change: 'resourceRevised', id: meta.subjectId, facts: { detail: '' } }],
  WebhookDisabled: ({ data, meta }) => [
    { change: 'resourceRevised', id: meta.subjectId, facts: { status: 'disabled', detail: data.reasonCode } },
  ],
  WebhookRemoved: ({ meta }) => [{ change: 'resourceRemoved', id: meta.subjectId }],
  WebhookSecretRotated: 'ignored',
  WebhookKeysShredded: 'ignored',
  WebhookClaimForfeited: 'ignored',
});
