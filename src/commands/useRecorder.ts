import { hourOf } from '../domain/hourOf.ts';
import { derivedId } from '../domain/identifiers.ts';
import type { Actor, AuthMethod } from '../domain/kernel.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, sha256 } from './envelope.ts';

/** A session or token that was just used, with the time of the last use that the log has of it (0: none). */
export type Use = {
  readonly kind: 'session' | 'apiToken';
  readonly id: string;
  readonly usedAt: number;
  readonly workspaceId: string;
  readonly actor: Actor;
  readonly authMethod: AuthMethod;
};

export type UseRecorder = { readonly note: (use: Use) => void; readonly remembered: () => number };

/**
 * Notes uses behind the answers, at most once an hour each, in bounded memory. One that cannot be noted now is noted with
 * a later use: it must neither fail nor hold up a request.
 */
export const createUseRecorder = (
  {
    aggregates,
    clock,
    onFailure,
  }: {
    readonly aggregates: Pick<Aggregates, 'session' | 'apiToken'>;
    readonly clock: { now(): number };
    readonly onFailure: (error: unknown) => void;
  },
  { remember = 10_000, atOnce = 16 }: { readonly remember?: number; readonly atOnce?: number } = {},
): UseRecorder => {
  const hours = new Map<string, number>();
  let running = 0;

  const record = async (use: Use, usedAt: number): Promise<boolean> => {
    const envelope = envelopeOf(use, hourOf(usedAt));
    const data = { usedAt };
    const sent =
      use.kind === 'session'
        ? await aggregates.session.send(use.id, { type: 'RecordSessionUse', data }, envelope)
        : await aggregates.apiToken.send(use.id, { type: 'RecordApiTokenUse', data }, envelope);
    return sent.ok;
  };

  const note = (use: Use): void => {
    const usedAt = clock.now();
    const hour = hourOf(usedAt);
    if (hour <= hourOf(use.usedAt) || hours.get(use.id) === hour || running >= atOnce) return;
    hours.delete(use.id);
    hours.set(use.id, hour);
    const oldest = hours.size > remember ? hours.keys().next() : undefined;
    if (oldest && !oldest.done) hours.delete(oldest.value);
    running += 1;
    record(use, usedAt)
      .then((noted) => {
        if (!noted) hours.delete(use.id);
      })
      .catch((error: unknown) => {
        hours.delete(use.id);
        onFailure(error);
      })
      .finally(() => {
        running -= 1;
      });
  };
  return { note, remembered: () => hours.size };
};

/** The same command from every process within the hour. */
const envelopeOf = ({ kind, id, workspaceId, actor, authMethod }: Use, hour: number): Envelope => {
  const commandId = derivedId(sha256, 'use', kind, id, String(hour));
  const context = { departmentId: '', requestId: '', correlationId: commandId, causationId: '' };
  return { commandId, commandDigest: '', actor, authMethod, workspaceId, ...context };
};
