import type { LiveWebhook } from '../domain/webhook/index.ts';
import { isLive } from '../domain/webhook/index.ts';
import type { ApiDeps } from './deps.ts';
import { isId, type Membership, mayEnter, needAllDepartments } from './guard.ts';
import { type Refusal, refuse } from './problem.ts';

export const noWebhook = refuse('WebhookNotFound', 'There is no such webhook in this workspace.');

/** Whoever is limited to departments sees the webhooks that tell of those alone. */
export const maySee = (who: Pick<Membership, 'departmentIds'>, departmentIds: readonly string[]): boolean =>
  who.departmentIds.length === 0 || (departmentIds.length > 0 && departmentIds.every((id) => mayEnter(who, id)));

/** Nobody is told more than he may see. */
export const refuseBeyond = (
  who: Membership,
  departmentIds: readonly string[],
): Refusal<'RoleInsufficient'> | undefined => (maySee(who, departmentIds) ? undefined : needAllDepartments(who));

/** One of another workspace, or out of the caller's reach, answers like one that never was. */
export const findLive = async (
  { aggregates }: ApiDeps,
  who: Membership,
  webhookId: string,
): Promise<LiveWebhook | Refusal<'WebhookNotFound'>> => {
  if (!isId(webhookId)) return noWebhook;
  const { state } = await aggregates.webhook.load(webhookId);
  if (!isLive(state) || state.workspaceId !== who.workspaceId) return noWebhook;
  return maySee(who, state.departmentIds) ? state : noWebhook;
};
