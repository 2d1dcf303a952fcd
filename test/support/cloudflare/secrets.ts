import { z } from 'zod';
import { type Answer, isRefused, ok, refuse } from './answer.ts';
import { checkBindings, showBinding } from './bindings.ts';
import { type ApiRequest, type Context, latestIsDeployed, latestVersion, param, scriptOf } from './context.ts';
import { readJson } from './json.ts';
import { addDeployedVersion } from './scripts.ts';
import type { Binding, Script } from './state.ts';

const secretSchema = z.object({ name: z.string().min(1), text: z.string(), type: z.literal('secret_text') });

const bulkSchema = z.object({ secrets: z.record(z.string(), secretSchema.nullable()) });

const secretsOf = (script: Script): readonly Binding[] =>
  (latestVersion(script)?.bindings ?? []).filter(({ type }) => type === 'secret_text');

export const listSecrets = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  return script === undefined ? refuse(10007) : ok(secretsOf(script).map(showBinding));
};

export const getSecret = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  const secret = secretsOf(script).find(({ name }) => name === param(request, 'secret'));
  return secret === undefined ? refuse(10056) : ok(showBinding(secret));
};

type Change = { readonly name: string; readonly text: string | null };

/** Every change makes a version and deploys it, so it is refused while another version serves. */
const change = (context: Context, request: ApiRequest, changes: readonly Change[]): Answer | undefined => {
  const script = scriptOf(context, request);
  const latest = script && latestVersion(script);
  if (script === undefined || latest === undefined) return refuse(10007);
  if (!latestIsDeployed(script)) return refuse(10215);
  const set = new Map(changes.map(({ name, text }) => [name, text]));
  const kept = latest.bindings.filter(({ type, name }) => type !== 'secret_text' || !set.has(name));
  const added = changes.flatMap(({ name, text }): Binding[] =>
    text === null ? [] : [{ type: 'secret_text', name, text }],
  );
  const bindings = [...kept, ...added];
  const refused = checkBindings(bindings, context.behaviour.limits);
  if (refused !== undefined) return refused;
  const author = { email: request.token.email, source: 'api' } as const;
  addDeployedVersion(context, script, { ...latest, bindings, annotations: {} }, author, 'secret');
  return undefined;
};

export const putSecret = (context: Context, request: ApiRequest): Answer => {
  const body = readJson(request, secretSchema);
  if (isRefused(body)) return body;
  const { name, text, type } = body.value;
  return change(context, request, [{ name, text }]) ?? ok({ name, type });
};

export const deleteSecret = (context: Context, request: ApiRequest): Answer => {
  const found = getSecret(context, request);
  if (isRefused(found)) return found;
  return change(context, request, [{ name: param(request, 'secret'), text: null }]) ?? ok(null);
};

/** A name with null is deleted, a name that is absent stays as it is. */
export const patchSecrets = (context: Context, request: ApiRequest): Answer => {
  const body = readJson(request, bulkSchema);
  if (isRefused(body)) return body;
  const changes = Object.entries(body.value.secrets).map(([name, secret]) => ({ name, text: secret?.text ?? null }));
  const refused = change(context, request, changes);
  if (refused !== undefined) return refused;
  const script = scriptOf(context, request);
  return ok(Object.fromEntries((script ? secretsOf(script) : []).map((secret) => [secret.name, showBinding(secret)])));
};
