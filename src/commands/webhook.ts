import { derivedId } from '../domain/identifiers.ts';
import { maskText } from '../domain/masking.ts';
import type { LiveWebhook, WebhookRejection, WebhookSettings } from '../domain/webhook/index.ts';
import type { Random } from '../platform/clock/port.ts';
import type { Outbound } from '../platform/outbound/port.ts';
import type { SealedSecret, Vault } from '../platform/vault/port.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, onNewStream, sha256 } from './envelope.ts';
import { done, notSent, type Outcome } from './outcome.ts';
import type { NotSent } from './send.ts';
import type { WebhookInput } from './webhookFields.ts';
import { newWebhookSecret, openWebhookSecret, unsealed, webhookBinding } from './webhookSecret.ts';
import { leaveWebhookSlot, maxWebhooks, takeWebhookSlot } from './webhookSlots.ts';

export type WebhookDeps = {
  readonly aggregates: Aggregates;
  readonly vault: Vault;
  readonly random: Pick<Random, 'bytes'>;
  readonly clock: { now(): number };
  readonly outbound: Pick<Outbound, 'check'>;
};

export type ShownSecret = {
  readonly webhookId: string;
  /** Shown to whoever made it, and to the same request again; null once it was replaced. */
  readonly secret: string | null;
};

/** A URL that nothing is ever sent to is refused when it is given, not only when something is sent. */
export const whyUrlRefused = (outbound: Pick<Outbound, 'check'>, url: string): string | undefined =>
  outbound.check(url) ??
  (maskText(url) === url
    ? undefined
    : 'The URL holds what looks like a secret, and would show it: sign in by the signature.');

const urlRefused = (why: string) => notSent('WebhookUrlRefused', why, { field: 'url' });

const limitReached = notSent(
  'WebhookLimitReached',
  `A workspace has ${maxWebhooks} webhooks at most. Remove one, or widen the filter of one.`,
  { details: { limit: maxWebhooks } },
);

/** Takes a place of the workspace, seals a new secret, and begins. */
export const createWebhook = async (
  deps: WebhookDeps,
  workspaceId: string,
  settings: WebhookInput,
  request: Envelope,
): Promise<Outcome<ShownSecret & WebhookSettings, WebhookRejection | 'WebhookLimitReached' | 'WebhookUrlRefused'>> => {
  const { aggregates, vault, random, outbound } = deps;
  const webhookId = derivedId(sha256, 'webhook', request.commandId);
  const binding = webhookBinding(workspaceId, webhookId);
  const send = (sealed: SealedSecret, envelope: Envelope) => {
    const data = { ...settings, workspaceId, ...sealed };
    return aggregates.webhook.send(webhookId, { type: 'CreateWebhook', data }, onNewStream(envelope));
  };
  const shown = async (sent: Extract<Awaited<ReturnType<typeof send>>, { ok: true }>) => {
    const [event] = sent.events;
    const secret = await openWebhookSecret(vault, event?.type === 'WebhookCreated' ? event.data : undefined, binding);
    return done({ ...settings, webhookId, secret }, sent, sent);
  };
  const why = whyUrlRefused(outbound, settings.url);
  if (why !== undefined) return urlRefused(why);
  const rehearsed = await send(unsealed, { ...request, dryRun: true });
  if (!rehearsed.ok) return forestalled(rehearsed);
  if (request.dryRun || rehearsed.replayed || rehearsed.events.length === 0) return shown(rehearsed);
  if (!(await takeWebhookSlot(aggregates, workspaceId, webhookId, request))) return limitReached;
  const sealed = await vault.seal(newWebhookSecret(random), binding);
  const sent = await send(sealed, request);
  if (!sent.ok || keyOf(sent.events) !== sealed.keyId) await vault.destroy(sealed.keyId).catch(() => undefined);
  return sent.ok ? shown(sent) : forestalled(sent);
};

/** The id follows from the command: nobody else has it, but somebody may have been given its place meanwhile. */
const forestalled = (refused: NotSent<WebhookRejection>) =>
  refused.rejection.rejected === 'WebhookExists' ? limitReached : refused;

/** This very request came twice at once: the key opens nothing that is kept. */
const keyOf = (events: readonly { readonly data: object }[]): unknown => {
  const [event] = events;
  return event !== undefined && 'keyId' in event.data ? event.data.keyId : undefined;
};

export const reviseWebhook = async (
  { aggregates, outbound }: Pick<WebhookDeps, 'aggregates' | 'outbound'>,
  webhookId: string,
  settings: WebhookSettings,
  request: Envelope,
): Promise<Outcome<LiveWebhook | undefined, WebhookRejection | 'WebhookUrlRefused'>> => {
  const why = whyUrlRefused(outbound, settings.url);
  if (why !== undefined) return urlRefused(why);
  const sent = await aggregates.webhook.send(webhookId, { type: 'ReviseWebhook', data: settings }, request);
  if (!sent.ok) return sent;
  const { state } = sent;
  return done(state.status === 'absent' || state.status === 'removed' ? undefined : state, sent, sent);
};

/** A new secret; the old one signs beside it for a while, so that receivers change over without losing a message. */
export const rotateWebhookSecret = async (
  { aggregates, vault, random, clock }: WebhookDeps,
  { workspaceId, webhookId }: { readonly workspaceId: string; readonly webhookId: string },
  { overlapHours }: { readonly overlapHours: number },
  request: Envelope,
): Promise<Outcome<ShownSecret & { readonly previousValidUntil: number }, WebhookRejection>> => {
  const binding = webhookBinding(workspaceId, webhookId);
  const now = clock.now();
  const send = (sealed: SealedSecret, envelope: Envelope) => {
    const data = { ...sealed, now, overlapMs: overlapHours * 3_600_000 };
    return aggregates.webhook.send(webhookId, { type: 'RotateWebhookSecret', data }, envelope);
  };
  const shown = async (sent: Extract<Awaited<ReturnType<typeof send>>, { ok: true }>) => {
    const [event] = sent.events;
    const rotated = event?.type === 'WebhookSecretRotated' ? event.data : undefined;
    const secret = await openWebhookSecret(vault, rotated, binding);
    return done({ webhookId, secret, previousValidUntil: rotated?.previousValidUntil ?? now }, sent, sent);
  };
  const rehearsed = await send(unsealed, { ...request, dryRun: true });
  if (!rehearsed.ok) return rehearsed;
  if (request.dryRun || rehearsed.replayed) return shown(rehearsed);
  const sealed = await vault.seal(newWebhookSecret(random), binding);
  const sent = await send(sealed, request);
  if (!sent.ok || keyOf(sent.events) !== sealed.keyId) await vault.destroy(sealed.keyId).catch(() => undefined);
  return sent.ok ? shown(sent) : sent;
};

/** Its secrets are destroyed by a reaction, and its place may be taken again. */
export const removeWebhook = async (
  { aggregates }: Pick<WebhookDeps, 'aggregates'>,
  { workspaceId, webhookId }: { readonly workspaceId: string; readonly webhookId: string },
  request: Envelope,
): Promise<Outcome<null, WebhookRejection>> => {
  const sent = await aggregates.webhook.send(webhookId, { type: 'RemoveWebhook', data: {} }, request);
  if (!sent.ok) return sent;
  if (!request.dryRun) await leaveWebhookSlot(aggregates, workspaceId, webhookId, request);
  return done(null, sent, sent);
};
