import { z } from 'zod';
import { type Answer, isRefused, ok, refuse } from './answer.ts';
import { resolveBindings, showBinding } from './bindings.ts';
import { type ApiRequest, accountOf, type Context, latestIsDeployed, latestVersion, scriptOf } from './context.ts';
import { readUpload } from './multipart.ts';
import { changeSettings, checkTags, settingsChangeSchema, showSettings } from './scriptSettings.ts';
import { addDeployedVersion } from './scripts.ts';
import type { Script } from './state.ts';
import { checkAnnotations } from './upload.ts';

const changeSchema = settingsChangeSchema.extend({
  bindings: z.array(z.unknown()).optional(),
  compatibility_date: z.string().optional(),
  compatibility_flags: z.array(z.string()).optional(),
  limits: z.record(z.string(), z.unknown()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});

const show = (script: Script) => {
  const latest = latestVersion(script);
  return {
    ...showSettings(script.settings),
    annotations: latest?.annotations ?? {},
    bindings: latest?.bindings.map(showBinding) ?? [],
    compatibility_date: latest?.compatibilityDate ?? '',
    compatibility_flags: latest?.compatibilityFlags ?? [],
    limits: latest?.limits ?? {},
    usage_model: 'standard',
  };
};

export const getVersionSettings = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  return script === undefined ? refuse(10007) : ok(show(script));
};

/** Makes a version out of the latest one and deploys it, so it is refused while another version serves. */
export const patchVersionSettings = async (context: Context, request: ApiRequest): Promise<Answer> => {
  if (scriptOf(context, request) === undefined) return refuse(10007);
  const upload = await readUpload(request, 'settings');
  if (isRefused(upload)) return upload;
  const parsed = changeSchema.safeParse(upload.metadata);
  if (!parsed.success) return refuse(10021, 'the settings are not valid');
  const change = parsed.data;
  const { limits } = context.behaviour;
  const script = scriptOf(context, request);
  const latest = script && latestVersion(script);
  if (script === undefined || latest === undefined) return refuse(10007);
  if (!latestIsDeployed(script)) return refuse(10214);
  const refused = checkTags(change.tags ?? [], limits);
  if (refused !== undefined) return refused;
  const annotations = checkAnnotations(change.annotations, limits);
  if (isRefused(annotations)) return annotations;
  const { scripts } = accountOf(context, request);
  const wanted = change.bindings && { list: change.bindings, keepTypes: [], strict: true };
  const bindings = wanted === undefined ? latest.bindings : resolveBindings(wanted, script, scripts, limits);
  if (isRefused(bindings)) return bindings;
  const content = {
    ...latest,
    bindings,
    annotations,
    compatibilityDate: change.compatibility_date ?? latest.compatibilityDate,
    compatibilityFlags: change.compatibility_flags ?? latest.compatibilityFlags,
    limits: change.limits ?? latest.limits,
  };
  addDeployedVersion(context, script, content, { email: request.token.email, source: 'api' }, 'settings');
  script.settings = changeSettings(script.settings, change);
  return ok(show(script));
};
