import type { Aggregates } from '../../src/commands/aggregates.ts';
import { type Envelope, sha256 } from '../../src/commands/envelope.ts';
import { derivedId } from '../../src/domain/identifiers.ts';
import type { WebhookCommand } from '../../src/domain/webhook/index.ts';

/** The part of a random history that is about webhooks. */
export const webhookSteps = [
  ...(['createWebhook', 'createWebhook', 'reviseWebhook', 'rotateWebhook', 'pauseWebhook', 'resumeWebhook'] as const),
  ...(['failDelivery', 'failDelivery', 'passDelivery', 'disableWebhook', 'removeWebhook', 'shredWebhook'] as const),
] as const;
export type WebhookStep = (typeof webhookSteps)[number];

export const isWebhookStep = (what: string): what is WebhookStep => webhookSteps.some((each) => each === what);

const encryptedData = { iv: 'aXY=', tag: 'dA==', data: 'ZA==' };

/** A few webhooks per workspace, so that the steps meet. */
export const performWebhookStep = async (
  { webhook }: Aggregates,
  { what, choice }: { readonly what: WebhookStep; readonly choice: number },
  { now, text }: { readonly now: number; readonly text: string },
  workspaceId: string,
  envelope: Envelope,
): Promise<void> => {
  const id = derivedId(sha256, 'webhook', workspaceId, String(choice % 3));
  const { state } = await webhook.load(id);
  const doomed = state.status === 'absent' ? [] : state.doomedKeys.map(({ keyId }) => keyId);
  const keyId = sha256(envelope.commandId).slice(0, 32);
  await webhook.send(id, commandOf(what, choice, { now, text, workspaceId, keyId, doomed }), envelope);
};

const commandOf = (
  what: WebhookStep,
  choice: number,
  of: { now: number; text: string; workspaceId: string; keyId: string; doomed: readonly string[] },
): WebhookCommand => {
  const { now, text, workspaceId, keyId, doomed } = of;
  const settings = {
    url: `https://hooks.example/${choice}`,
    description: text.slice(0, 200),
    eventTypes: choice % 2 ? ['*'] : ['edgeWorker.*', 'job.JobDied'],
    departmentIds: choice % 3 ? [] : ['department-1'],
  };
  switch (what) {
    case 'createWebhook':
      return { type: 'CreateWebhook', data: { ...settings, workspaceId, keyId, encryptedData } };
    case 'reviseWebhook':
      return { type: 'ReviseWebhook', data: settings };
    case 'rotateWebhook':
      return { type: 'RotateWebhookSecret', data: { keyId, encryptedData, now, overlapMs: choice * 1_000 } };
    case 'pauseWebhook':
      return { type: 'PauseWebhook', data: {} };
    case 'resumeWebhook':
      return { type: 'ResumeWebhook', data: {} };
    case 'failDelivery':
      return { type: 'NoteDeliveryFailure', data: { now, detail: `saw ${text}`, disableAfterMs: 20_000 } };
    case 'passDelivery':
      return { type: 'NoteDeliverySuccess', data: {} };
    case 'disableWebhook':
      return { type: 'DisableWebhook', data: { reasonCode: 'gone', reason: `saw ${text} Bearer abcdefghijkl` } };
    case 'removeWebhook':
      return { type: 'RemoveWebhook', data: {} };
    case 'shredWebhook':
      return { type: 'ConfirmWebhookKeysShred', data: { keyIds: doomed } };
  }
};
