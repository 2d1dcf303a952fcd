import { z } from 'zod';
import { type Answer, isRefused, ok, refuse } from './answer.ts';
import { type ApiRequest, accountOf, type Context, isoNow, latestVersion, param, scriptOf } from './context.ts';
import { addDeployment } from './deployments.ts';
import { dropDomainsOf } from './domains.ts';
import { readUpload, writeModules } from './multipart.ts';
import { paginate } from './paging.ts';
import { dropRoutesOf, routesOf } from './routes.ts';
import { changeSettings, defaultSettings, showSettings } from './scriptSettings.ts';
import type { Account, Script, VersionContent } from './state.ts';
import { checkCode, checkName, readVersion, type Uploaded } from './upload.ts';
import { type Author, addVersion } from './versions.ts';

export const createScript = (context: Context, account: Account, name: string): Script => {
  const now = isoNow(context);
  const script: Script = {
    name,
    tag: context.ids.hex(),
    createdOn: now,
    modifiedOn: now,
    settings: defaultSettings,
    versions: [],
    deployments: [],
    schedules: [],
    subdomain: { enabled: false, previewsEnabled: false },
  };
  account.scripts.set(name, script);
  return script;
};

/** A version that serves at once. */
export const addDeployedVersion = (
  context: Context,
  script: Script,
  content: VersionContent,
  author: Author,
  triggeredBy: string,
) => {
  const version = addVersion(context, script, content, author);
  const message = content.annotations['workers/message'];
  const annotations = {
    'workers/triggered_by': triggeredBy,
    ...(message === undefined ? {} : { 'workers/message': message }),
  };
  const deployment = addDeployment(context, script, [{ versionId: version.id, percentage: 100 }], annotations, author);
  return { version, deployment };
};

export const showScript = (script: Script) => {
  const latest = latestVersion(script);
  return {
    id: script.name,
    tag: script.tag,
    created_on: script.createdOn,
    modified_on: script.modifiedOn,
    etag: latest?.etag ?? '',
    handlers: latest?.handlers ?? [],
    has_modules: latest?.format === 'modules',
    has_assets: false,
    compatibility_date: latest?.compatibilityDate ?? '',
    compatibility_flags: latest?.compatibilityFlags ?? [],
    last_deployed_from: script.deployments[0]?.source ?? '',
    usage_model: 'standard',
    ...showSettings(script.settings),
  };
};

const storeUpload = (context: Context, request: ApiRequest, { content, settings }: Uploaded): Answer => {
  const account = accountOf(context, request);
  const name = param(request, 'script');
  const script = account.scripts.get(name) ?? createScript(context, account, name);
  const author: Author = { email: request.token.email, source: 'api' };
  const { version } = addDeployedVersion(context, script, content, author, 'upload');
  script.settings = changeSettings(script.settings, settings);
  return ok({
    ...showScript(script),
    startup_time_ms: 1,
    entry_point: content.mainModule,
    // Despite its name it is the id of the version, without dashes.
    deployment_id: version.id.replaceAll('-', ''),
  });
};

const checkQuota = (context: Context, request: ApiRequest): Answer | undefined => {
  const { scripts } = accountOf(context, request);
  const { limits } = context.behaviour;
  return scripts.has(param(request, 'script')) || scripts.size < limits.scripts
    ? undefined
    : refuse(10037, `the account has ${limits.scripts} Workers, which is all that it may have`);
};

export const putScript = async (context: Context, request: ApiRequest): Promise<Answer> => {
  const refused = checkName(param(request, 'script')) ?? checkQuota(context, request);
  if (refused !== undefined) return refused;
  const uploaded = await readVersion(context, request, 'deployed');
  if (isRefused(uploaded)) return uploaded;
  return checkQuota(context, request) ?? storeUpload(context, request, uploaded);
};

const contentSchema = z.object({ main_module: z.string().optional(), body_part: z.string().optional() });

/** New code under the bindings and settings of the latest version. */
export const putContent = async (context: Context, request: ApiRequest): Promise<Answer> => {
  if (scriptOf(context, request) === undefined) return refuse(10007);
  const upload = await readUpload(request, 'metadata');
  if (isRefused(upload)) return upload;
  const metadata = contentSchema.safeParse(upload.metadata);
  if (!metadata.success) return refuse(10021, 'the metadata is not valid');
  const code = await checkCode(metadata.data, upload.modules, context.behaviour.limits);
  if (isRefused(code)) return code;
  const script = scriptOf(context, request);
  const latest = script && latestVersion(script);
  if (script === undefined || latest === undefined) return refuse(10007);
  const author: Author = { email: request.token.email, source: 'api' };
  addDeployedVersion(context, script, { ...latest, ...code, annotations: {} }, author, 'upload');
  return ok(showScript(script));
};

/** Scripts whose newest version has a service binding to this one. */
const referencing = (account: Account, name: string): readonly string[] =>
  [...account.scripts.values()]
    .filter((other) => other.name !== name)
    .filter((other) =>
      latestVersion(other)?.bindings.some((binding) => binding.type === 'service' && binding.service === name),
    )
    .map((other) => other.name);

/** The script with its domains, routes and tails; a certificate stays. */
export const removeScript = (context: Context, account: Account, script: Script): void => {
  account.scripts.delete(script.name);
  dropDomainsOf(context, account, script.name);
  dropRoutesOf(context, account, script.name);
  for (const tail of [...context.state.tails.values()]) if (tail.scriptTag === script.tag) context.closeTail(tail.id);
};

export const deleteScript = (context: Context, request: ApiRequest): Answer => {
  const account = accountOf(context, request);
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  const others = referencing(account, script.name);
  if (others.length > 0 && request.query.get('force') !== 'true')
    return refuse(10142, `service bindings of these Workers still reference it: ${others.join(', ')}`);
  removeScript(context, account, script);
  return { kind: 'empty', status: 200 };
};

/** `tags=a:yes,b:no`: has a, has not b. */
const tagFilter = (text: string): ((script: Script) => boolean) | undefined => {
  const wanted = text.split(',').map((part) => /^(.+):(yes|no)$/.exec(part));
  if (wanted.some((match) => match === null)) return undefined;
  return ({ settings }) => wanted.every((match) => settings.tags.includes(match?.[1] ?? '') === (match?.[2] === 'yes'));
};

/** All at once, by name. */
export const listScripts = (context: Context, request: ApiRequest): Answer => {
  const account = accountOf(context, request);
  const tags = request.query.get('tags');
  const filter = tags === null ? () => true : tagFilter(tags);
  if (filter === undefined) return refuse(10004, 'tags looks like name:yes,other:no');
  const scripts = [...account.scripts.values()].filter(filter).sort((a, b) => (a.name < b.name ? -1 : 1));
  return ok(scripts.map((script) => ({ ...showScript(script), routes: routesOf(context, account, script.name) })));
};

export const searchScripts = (context: Context, request: ApiRequest): Answer => {
  const { query } = request;
  const order = query.get('order_by') ?? 'name';
  const keyOf = (script: Script): string | undefined =>
    order === 'name' ? script.name : order === 'created_on' ? script.createdOn : script.modifiedOn;
  if (!['name', 'created_on', 'modified_on'].includes(order)) return refuse(10004, 'order_by is not one of its values');
  const found = [...accountOf(context, request).scripts.values()]
    .filter(({ name }) => name.includes(query.get('name') ?? ''))
    .filter(({ tag }) => query.get('id') === null || tag === query.get('id'))
    .sort((a, b) => ((keyOf(a) ?? '') < (keyOf(b) ?? '') ? -1 : 1));
  const page = paginate(found, query, { fallback: 10, most: 100 });
  if (isRefused(page)) return page;
  const items = page.items.map(({ tag, name, createdOn, modifiedOn }) => ({
    id: tag,
    script_name: name,
    service_name: name,
    environment_name: 'production',
    environment_is_default: true,
    created_on: createdOn,
    modified_on: modifiedOn,
  }));
  return ok(items, page.info);
};

/** The code of the latest version, as a form with one part per module. */
export const getContent = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  const latest = script && latestVersion(script);
  if (latest === undefined) return refuse(10007);
  const boundary = `modules-${latest.etag.slice(0, 24)}`;
  const body = writeModules(latest.modules, boundary);
  return { kind: 'raw', status: 200, contentType: `multipart/form-data; boundary=${boundary}`, body };
};
