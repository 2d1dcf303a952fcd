import type { Message } from '../kernel.ts';

/** What AES-256-GCM made, each part in base64. Noise without its data key; masked wherever it leaves the log. */
export type SealedSecret = {
  readonly keyId: string;
  readonly encryptedData: { readonly iv: string; readonly tag: string; readonly data: string };
};

/** What is sent where. `departmentIds` empty: of the whole workspace. */
export type WebhookSettings = {
  readonly url: string;
  readonly description: string;
  /** `*`, `edgeWorker.*` or `edgeWorker.DeploymentCompleted`. */
  readonly eventTypes: readonly string[];
  readonly departmentIds: readonly string[];
};

/** `failing`: nothing but failures for days; `gone`: the receiver said that it is not to be asked again. */
export type DisabledBecause = 'failing' | 'gone';

/** One stream per webhook. Deliveries are jobs and leave facts here only when something turns. Times are in milliseconds. */
export type WebhookEvent =
  | Message<'WebhookCreated', WebhookSettings & SealedSecret & { workspaceId: string }>
  | Message<'WebhookRevised', WebhookSettings>
  /** The secret of before is valid until `previousValidUntil`, and its key is destroyed then. */
  | Message<'WebhookSecretRotated', SealedSecret & { secretVersion: number; previousValidUntil: number }>
  | Message<'WebhookPaused', object>
  /** Of one that was paused or disabled. */
  | Message<'WebhookResumed', object>
  /** The first failure after success. */
  | Message<'WebhookFailureBegan', { since: number; detail: string }>
  | Message<'WebhookRecovered', object>
  | Message<'WebhookDisabled', { reasonCode: DisabledBecause; reason: string }>
  | Message<'WebhookRemoved', { keyIds: readonly string[] }>
  /** The keys are destroyed: no copy of the log opens these secrets any more. */
  | Message<'WebhookKeysShredded', { keyIds: readonly string[] }>
  /** Its place in the workspace was given to another before it came to be: now it never will. */
  | Message<'WebhookClaimForfeited', object>;
