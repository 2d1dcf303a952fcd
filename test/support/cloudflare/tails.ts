import { type Answer, ok, refuse } from './answer.ts';
import { type ApiRequest, accountOf, type Context, param, scriptOf } from './context.ts';
import type { Tail } from './state.ts';

const show = (context: Context, tail: Tail) => ({
  id: tail.id,
  url: `${context.socketUrl()}/tails/${tail.id}`,
  expires_at: new Date(tail.expiresAt).toISOString(),
});

export const postTail = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  const tail: Tail = {
    id: context.ids.hex(),
    scriptTag: script.tag,
    scriptName: script.name,
    accountId: accountOf(context, request).id,
    expiresAt: context.now() + context.behaviour.limits.tailLifetimeMs,
  };
  context.state.tails.set(tail.id, tail);
  return ok(show(context, tail));
};

export const listTails = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  const alive = [...context.state.tails.values()].filter(
    ({ scriptTag, expiresAt }) => scriptTag === script.tag && expiresAt > context.now(),
  );
  return ok(alive.map((tail) => show(context, tail)));
};

/** A tail that has expired or never was answers the same. */
export const deleteTail = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  const tail = context.state.tails.get(param(request, 'tail'));
  if (tail === undefined || tail.scriptTag !== script.tag || tail.expiresAt <= context.now()) return refuse(10058);
  context.closeTail(tail.id);
  return ok(null);
};
