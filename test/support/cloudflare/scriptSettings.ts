import { z } from 'zod';
import { type Answer, isRefused, ok, type Refused, refuse } from './answer.ts';
import { type ApiRequest, type Context, isoNow, scriptOf } from './context.ts';
import { readJson } from './json.ts';
import type { Limits } from './options.ts';
import type { ScriptSettings } from './state.ts';

export const settingsChangeSchema = z.object({
  logpush: z.boolean().optional(),
  observability: z.unknown().optional(),
  tags: z.array(z.string()).nullish(),
  tail_consumers: z.array(z.object({ service: z.string() })).nullish(),
});

export type SettingsChange = z.infer<typeof settingsChangeSchema>;

export const defaultSettings: ScriptSettings = { logpush: false, observability: null, tags: [], tailConsumers: [] };

export const checkTags = (tags: readonly string[], limits: Limits): Refused | undefined => {
  if (tags.some((tag) => Buffer.byteLength(tag) > limits.tagBytes))
    return refuse(100102, `a tag has at most ${limits.tagBytes} bytes`);
  return tags.length > limits.tags ? refuse(100103, `a Worker has at most ${limits.tags} tags`) : undefined;
};

/** A key that is absent keeps its value; null empties it. */
export const changeSettings = (settings: ScriptSettings, change: SettingsChange): ScriptSettings => ({
  logpush: change.logpush ?? settings.logpush,
  observability: change.observability === undefined ? settings.observability : change.observability,
  tags: change.tags === undefined ? settings.tags : (change.tags ?? []),
  tailConsumers: change.tail_consumers === undefined ? settings.tailConsumers : (change.tail_consumers ?? []),
});

export const showSettings = ({ logpush, observability, tags, tailConsumers }: ScriptSettings) => ({
  logpush,
  observability,
  tags,
  tail_consumers: tailConsumers,
});

export const getScriptSettings = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  return script === undefined ? refuse(10007) : ok(showSettings(script.settings));
};

export const patchScriptSettings = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  const body = readJson(request, settingsChangeSchema);
  if (isRefused(body)) return body;
  const refused = checkTags(body.value.tags ?? [], context.behaviour.limits);
  if (refused !== undefined) return refused;
  script.settings = changeSettings(script.settings, body.value);
  script.modifiedOn = isoNow(context);
  return ok(showSettings(script.settings));
};
