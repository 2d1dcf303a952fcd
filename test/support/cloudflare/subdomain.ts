import { z } from 'zod';
import { type Answer, isRefused, ok, refuse } from './answer.ts';
import { type ApiRequest, accountOf, type Context, scriptOf } from './context.ts';
import { readJson } from './json.ts';
import type { Script } from './state.ts';

const subdomainSchema = z.object({ enabled: z.boolean(), previews_enabled: z.boolean().optional() });

const show = ({ subdomain }: Script): Answer =>
  ok({ enabled: subdomain.enabled, previews_enabled: subdomain.previewsEnabled });

/** The account's own part of every workers.dev name. */
export const getAccountSubdomain = (context: Context, request: ApiRequest): Answer =>
  ok({ subdomain: accountOf(context, request).workersDevSubdomain });

export const getSubdomain = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  return script === undefined ? refuse(10007) : show(script);
};

export const postSubdomain = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  const body = readJson(request, subdomainSchema);
  if (isRefused(body)) return body;
  const { enabled, previews_enabled: previews } = body.value;
  script.subdomain = { enabled, previewsEnabled: previews ?? script.subdomain.previewsEnabled };
  return show(script);
};

export const deleteSubdomain = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  script.subdomain = { enabled: false, previewsEnabled: false };
  return show(script);
};
