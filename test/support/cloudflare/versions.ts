import { type Answer, isRefused, ok, refuse } from './answer.ts';
import { showBinding } from './bindings.ts';
import { type ApiRequest, type Context, isoNow, param, scriptOf } from './context.ts';
import { paginate } from './paging.ts';
import type { Script, Source, Version, VersionContent } from './state.ts';
import { checkName, readVersion } from './upload.ts';

/** Who is behind a version or a deployment. */
export type Author = { readonly email: string; readonly source: Source };

/** Adds a version; what comes over the API is subject to the read lag, what the dashboard does is not. */
export const addVersion = (context: Context, script: Script, content: VersionContent, author: Author): Version => {
  const { lag } = context.behaviour;
  const lagging = author.source !== 'dash';
  const version: Version = {
    ...content,
    id: context.ids.uuid(),
    number: (script.versions.at(-1)?.number ?? 0) + 1,
    createdOn: isoNow(context),
    authorEmail: author.email,
    source: author.source,
    readableAt: context.now() + (lagging ? lag.ms : 0),
    hiddenReads: lagging ? lag.reads : 0,
  };
  script.versions = [...script.versions, version];
  script.modifiedOn = version.createdOn;
  return version;
};

/** Whether this read still misses the version; a read that misses it brings it nearer. */
export const missesRead = (context: Context, version: Version): boolean => {
  if (version.hiddenReads > 0) {
    version.hiddenReads -= 1;
    return true;
  }
  return context.now() < version.readableAt;
};

const showMetadata = (version: Version) => ({
  author_email: version.authorEmail,
  author_id: '',
  created_on: version.createdOn,
  modified_on: version.createdOn,
  source: version.source,
  hasPreview: false,
});

const showListed = (version: Version) => ({
  id: version.id,
  number: version.number,
  metadata: showMetadata(version),
  annotations: version.annotations,
});

export const showVersion = (version: Version) => ({
  ...showListed(version),
  resources: {
    bindings: version.bindings.map(showBinding),
    script: {
      etag: version.etag,
      handlers: version.handlers,
      named_handlers: [],
      last_deployed_from: version.source,
    },
    script_runtime: {
      compatibility_date: version.compatibilityDate,
      compatibility_flags: version.compatibilityFlags,
      limits: version.limits,
      usage_model: 'standard',
    },
  },
});

export const postVersion = async (context: Context, request: ApiRequest): Promise<Answer> => {
  const refused = checkName(param(request, 'script'));
  if (refused !== undefined) return refused;
  if (scriptOf(context, request) === undefined) return refuse(10007);
  const uploaded = await readVersion(context, request, 'version only');
  if (isRefused(uploaded)) return uploaded;
  // The check takes a moment, in which the script may have gone.
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  const version = addVersion(context, script, uploaded.content, { email: request.token.email, source: 'api' });
  return ok({ ...showVersion(version), startup_time_ms: 1 });
};

/** Newest first; those that can be deployed come all at once, without pages. */
export const listVersions = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  const readable = script.versions.filter((version) => !missesRead(context, version)).reverse();
  if (request.query.get('deployable') === 'true') {
    const newest = new Set(deployableIds(script, context.behaviour.limits.deployableVersions));
    return ok({ items: readable.filter(({ id }) => newest.has(id)).map(showListed) });
  }
  const page = paginate(readable, request.query, { fallback: 10, most: 100 });
  return isRefused(page) ? page : ok({ items: page.items.map(showListed) }, page.info);
};

export const deployableIds = (script: Script, count: number): readonly string[] =>
  script.versions.slice(-count).map(({ id }) => id);

export const getVersion = (context: Context, request: ApiRequest): Answer => {
  const script = scriptOf(context, request);
  if (script === undefined) return refuse(10007);
  const version = script.versions.find(({ id }) => id === param(request, 'version'));
  if (version === undefined) return refuse(10071);
  return missesRead(context, version) ? refuse(100146) : ok(showVersion(version));
};
